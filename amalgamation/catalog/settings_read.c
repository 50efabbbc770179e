/*
** Reads settings of organizations and projects, for the nouns that have to obey them; and writes those of a new
** organization. The rule: a setting that was never changed has its default.
*/
#include "catalog/catalog.h"

/* The value as stored; n 0: the setting was never changed. */
static svc_str settings_read_text(svc_call *c, const char *name)
{
  static const svc_id none;
  const svc_noun_info *settings = c->s->seats[SVC_SEAT_POLICY];
  svc_entity e;
  if (!settings || svc_id_is_zero(&c->scope.org) || svc_entity_get(c->txn, settings->noun->kind, &c->scope.org, &none, &e) != SVC_OK)
    return SVC_S("");
  return svc_json_member(e.body, svc_str_c(name));
}

SVC_PRIVATE bool svc_org_setting(svc_call *c, const char *name, bool preset)
{
  svc_str value = settings_read_text(c, name);
  return value.n ? svc_str_is(value, "true") : preset;
}

SVC_PRIVATE int64_t svc_org_setting_number(svc_call *c, const char *name, int64_t preset)
{
  svc_str value = settings_read_text(c, name);
  int64_t number;
  return value.n && svc_json_number_i64(value, &number) ? number : preset;
}

SVC_PRIVATE bool svc_project_setting(svc_call *c, const char *name)
{
  static const svc_id none;
  const svc_noun_info *settings = svc_noun_named(c->s, "project settings");
  svc_entity e;
  if (!settings || svc_entity_get(c->txn, settings->noun->kind, &c->scope.group, &none, &e) != SVC_OK)
    return settings && svc_json_is(settings->preset, name, "true");
  return svc_json_is(e.body, name, "true");
}

SVC_PRIVATE bool svc_project_allows(svc_call *c, const char *name)
{
  bool on = !svc_noun_named(c->s, "project settings") || svc_project_setting(c, name);
  return on ? svc_txn_good(c)
            : svc_fail_as(c, svc_arena_print(c->arena, "The project has turned this off: its setting %s is false.", svc_shown_field(c->s, svc_str_c(name)).p),
                          SVC_E_UNSUPPORTED_FOR_CURRENT_CONFIG, "s", name);
}

/*
** An organization that is made through the web interface, or by a person, requires access lists. Access lists do not apply to people, and the
** web interface's own credential of the new organization may be used from where the page is (svc_access_admit()), so nobody is locked out.
**
** An organization that a credential creates through the API does not require them, because nobody could get in. The same holds for the
** host itself at bootstrap, which has no id.
*/
SVC_PRIVATE bool svc_organization_settings_begin(svc_call *c, const svc_entity *org)
{
  const svc_noun_info *noun = c->s->seats[SVC_SEAT_POLICY];
  bool person = c->who.kind == SVC_WHO_USER && !svc_id_is_zero(&c->who.id);
  svc_change change;
  svc_entity e;
  if (!noun || !(person || svc_from_own_page(c))) return true;
  if (!svc_change_new(c, noun, svc_json_parse(c->arena, noun->preset), &change)) return false;
  change.parent = org->id;
  change.input = NULL;
  change.event = NULL; /* the organization has its own event */
  svc_node_set_bool(c->arena, change.body, "apiAccessListRequired", true);
  return svc_insert(c, &change, &e);
}
