/*
** The messages between svcapi and a driver as a JSON Schema (draft 2020-12): svc_driver_schema(). docs/driver.md is generated from the same
** document.
**
** The rule: orders, facts, reports, questions and replies are written from the rows that check them, so the document is always true.
** Only the lines around them (driver_schema_lines) are written by hand.
** Drivers get the words of the tables, whatever the dialect of the API: the writer sees no dialect and no links.
**
** The document itself is a schema: every line of the protocol of driver programs (svcd --driver exec:COMMAND) matches it.
*/
#include "pipeline/openapi_parts.h"

/* The lines of that protocol. The reader of a line ignores unknown members. */
static const char driver_schema_lines[] =
  "'Failure':{'type':'object','properties':{'reason':{'type':'string','maxLength':4096},'state':{'type':'string','maxLength':64}}},"
  "'HelloLine':{'type':'object','required':['driver'],'properties':{'driver':{'const':1},'secrets':{'type':'array','items':{'type':'string'},"
  "'description':'Sent by the program: the actions whose orders are to have their secrets.'},'vendor':{'type':'string',"
  "'description':'Sent by svcd.'}}},"
  "'OrderLine':{'type':'object','required':['order'],'properties':{'order':{'type':'object','required':['id','action','resource','resourceId',"
  "'parentId','groupId','orgId','name','desired','attempt'],'properties':{'id':{'type':'string'},'action':{'type':'string'},"
  "'resource':{'type':'string'},'resourceId':{'type':'string'},'parentId':{'type':'string'},'groupId':{'type':'string'},"
  "'orgId':{'type':'string'},'name':{'type':'string'},'desired':{'type':'object'},'attempt':{'type':'integer','minimum':1},"
  "'traceparent':{'type':'string','minLength':55,'maxLength':55,'description':'The trace context (W3C) of the request that "
  "caused the order, if it had one.'},'secrets':{'type':'object'}}}}},"
  "'DoneLine':{'type':'object','required':['done'],'properties':{'done':{'type':'object','required':['id','result'],'properties':{"
  "'id':{'type':'string'},'result':{'enum':['ok','busy','failed']},'facts':{'type':'object'},'reason':{'type':'string'}}}}},"
  "'QuestionLine':{'type':'object','required':['question'],'properties':{'question':{'type':'object','required':['id','what','resource',"
  "'resourceId','groupId','orgId','name','parameters','now','most'],'properties':{'id':{'type':'string'},'what':{'type':'string'},"
  "'resource':{'type':'string'},'resourceId':{'type':'string'},'groupId':{'type':'string'},'orgId':{'type':'string'},'name':{'type':'string'},"
  "'parameters':{'type':'object'},'now':{'type':'integer'},'most':{'type':'integer'}}}}},"
  "'ReplyLine':{'type':'object','required':['reply'],'properties':{'reply':{'type':'object','required':['id'],'properties':{"
  "'id':{'type':'string'},'value':{},'unknown':{'const':true}},'anyOf':[{'required':['value']},{'required':['unknown']}]}}},"
  "'ReportLine':{'type':'object','required':['report'],'properties':{'report':{'type':'object','required':['resource','id','facts'],"
  "'properties':{'resource':{'type':'string'},'id':{'type':'string'},'facts':{'type':'object'}}}}}";

static void driver_schema_any_line(openapi_writer *w)
{
  static const char *const names[] = { "Hello", "Order", "Done", "Question", "Reply", "Report" };
  size_t i;
  svc_openapi_put(w, "'anyOf':[");
  for (i = 0; i < sizeof names / sizeof names[0]; i++) svc_openapi_put(w, "%s{'$ref':'#/components/schemas/%sLine'}", i ? "," : "", names[i]);
  svc_openapi_put(w, "]");
}

/* A reference, or null. */
static void driver_schema_ref(openapi_writer *w, const char *member, const svc_object *object, int as)
{
  svc_openapi_put(w, ",'%s':", member);
  if (object) svc_openapi_ref(w, object, as);
  else svc_openapi_put(w, "null");
}

/* A hook may add write-only fields to the noun's own object: a driver sees more than callers do. */
static void driver_schema_desired(openapi_writer *w, const svc_noun *noun, const svc_order_row *row)
{
  int as = !row->desired && noun->desired ? OPENAPI_REQUEST : OPENAPI_ANSWER;
  driver_schema_ref(w, "desired", row->desired ? row->desired : noun->object, as);
}

static void driver_schema_orders(openapi_writer *w)
{
  const char *comma = "";
  size_t i;
  for (i = 0; i < w->s->noun_count; i++) {
    const svc_noun *noun = w->s->nouns[i].noun;
    const svc_order_row *row = svc_noun_ext_of(noun)->notice ? NULL : noun->orders;
    for (; row && row->action; row++, comma = ",") {
      svc_openapi_put(w, "%s{'action':%q,'resource':%q,'description':%q", comma, row->action, noun->name, row->says);
      driver_schema_desired(w, noun, row);
      driver_schema_ref(w, "facts", row->facts, OPENAPI_REQUEST);
      svc_openapi_put(w, ",'secrets':%s}", noun->secrets || w->s->nouns[i].seals ? "true" : "false");
    }
  }
}

static void driver_schema_reports(openapi_writer *w)
{
  const char *comma = "";
  size_t i;
  for (i = 0; i < w->s->noun_count; i++) {
    const svc_noun *noun = w->s->nouns[i].noun;
    if (!noun->reports) continue;
    svc_openapi_put(w, "%s{'resource':%q", comma, noun->name);
    driver_schema_ref(w, "facts", noun->reports, OPENAPI_REQUEST);
    svc_openapi_put(w, "}");
    comma = ",";
  }
}

/* Whether a noun before this one lists the row: several may ask the same question. */
static bool driver_schema_was(const openapi_writer *w, size_t noun, const svc_question_row *row)
{
  const svc_question_row *const *one;
  size_t i;
  for (i = 0; i < noun; i++)
    for (one = w->s->nouns[i].noun->questions; one && *one; one++)
      if (*one == row) return true;
  return false;
}

static void driver_schema_reply(openapi_writer *w, const svc_question_row *row)
{
  bool list = row->form != SVC_REPLY_OBJECT;
  svc_openapi_put(w, ",'reply':");
  if (list) svc_openapi_put(w, "{'type':'array','items':");
  if (row->reply) svc_openapi_ref(w, row->reply, OPENAPI_REQUEST);
  else svc_openapi_put(w, list ? "{'type':'string'%s}" : "{'type':'object'}", row->form == SVC_REPLY_NAMES ? ",\"minLength\":1" : "");
  if (list) svc_openapi_put(w, "}");
}

static void driver_schema_questions(openapi_writer *w)
{
  const svc_question_row *const *row;
  const char *comma = "";
  size_t i;
  for (i = 0; i < w->s->noun_count; i++) {
    for (row = w->s->nouns[i].noun->questions; row && *row; row++) {
      if (driver_schema_was(w, i, *row)) continue;
      svc_openapi_put(w, "%s{'what':%q,'resource':%q,'description':%q", comma, (*row)->what, (*row)->resource, (*row)->says);
      driver_schema_ref(w, "parameters", (*row)->parameters, OPENAPI_REQUEST);
      driver_schema_reply(w, *row);
      svc_openapi_put(w, ",'lines':%s}", (*row)->form == SVC_REPLY_LINES ? "true" : "false");
      comma = ",";
    }
  }
}

/* A handle for the schema writer, which reads the vendor word, the dialect and the routes: this one has the vendor word alone. */
static svc *driver_schema_plain(const svc *s, svc_arena *a)
{
  svc *plain = svc_arena_zero(a, sizeof *plain);
  if (!plain) return NULL;
  plain->vendor = s->vendor;
  plain->nouns = s->nouns;
  plain->noun_count = s->noun_count;
  return plain;
}

SVC_PRIVATE svc_str svc_driver_document(const svc *s, svc_arena *a)
{
  openapi_writer *w = svc_arena_zero(a, sizeof *w);
  svc *plain = driver_schema_plain(s, a);
  if (!w || !plain) return SVC_S("");
  w->s = plain;
  w->b = svc_buf_new(a, 1 << 18);
  svc_openapi_put(w, "{'$schema':'https://json-schema.org/draft/2020-12/schema','title':'The lines between svcd and a driver','version':'" SVC_VERSION "',");
  driver_schema_any_line(w);
  svc_openapi_put(w, ",'orders':[");
  driver_schema_orders(w);
  svc_openapi_put(w, "],'failure':{'$ref':'#/components/schemas/Failure'},'reports':[");
  driver_schema_reports(w);
  svc_openapi_put(w, "],'questions':[");
  driver_schema_questions(w);
  svc_openapi_put(w, "],'components':{'schemas':{");
  svc_openapi_put(w, driver_schema_lines);
  svc_openapi_schemas(w);
  svc_openapi_put(w, "}}}");
  return svc_buf_done(&w->b);
}
