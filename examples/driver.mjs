// A driver for svcd in Node.js, without packages. It uses only what docs/driver.md describes. Each cluster is a small TCP server of this
// process that greets its clients: enough to show orders, facts, questions, reports and restarts. Replace it by your database.
//
//   svcd --data DIR --driver 'exec:exec node examples/driver.mjs FOLDER'
//
// FOLDER/CLUSTER-ID.json stores name, project and port of a cluster, so that a restarted driver finds its clusters.
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import readline from "node:readline";

const folder = process.argv[2];
if (!folder) throw new Error("give the folder in which clusters are remembered: node driver.mjs FOLDER");
fs.mkdirSync(folder, { recursive: true });
const clusters = new Map(); // id: { id, about, server, log }

const report = (cluster, facts) => say({ report: { resource: "cluster", id: cluster.about.group + "/" + cluster.id, facts } });
const say = (line) => process.stdout.write(JSON.stringify(line) + "\n");
const fileOf = (id) => path.join(folder, id + ".json");
const hostOf = (about) => "127.0.0.1:" + about.port;
const factsOf = (about) => ({ hosts: [hostOf(about)], ssl: false, version: "1.0.0" });

function stop(cluster) {
  return new Promise((done) => (cluster?.server ? cluster.server.close(done) : done()));
}

function start(cluster) {
  if (cluster.server) return Promise.resolve();
  return new Promise((done, fail) => {
    const server = net.createServer((socket) => {
      cluster.log.push({ at: Date.now() / 1000, text: new Date().toISOString() + " connection accepted" });
      const host = hostOf(cluster.about);
      report(cluster, { measurements: [{ host, metric: "CONNECTIONS", value: 1 }],
                        logins: [{ user: "guest", host, address: socket.remoteAddress, success: true }] });
      socket.on("error", () => {}).end("hello from " + cluster.about.name + "\n");
    });
    server.once("error", fail).listen(cluster.about.port ?? 0, "127.0.0.1", () => {
      cluster.server = server;
      cluster.about.port = server.address().port;
      done();
    });
  });
}

function keep(id, about) { // writes the file completely or not at all
  fs.writeFileSync(fileOf(id) + ".new", JSON.stringify(about), { mode: 0o600 });
  fs.renameSync(fileOf(id) + ".new", fileOf(id));
}

// Creates, updates, pauses or resumes a cluster: makes it match the desired state.
async function putCluster(order) {
  const id = order.resourceId;
  const cluster = clusters.get(id) ?? { id, about: {}, server: null, log: [] };
  Object.assign(cluster.about, { name: order.name, group: order.groupId, paused: Boolean(order.desired.paused) });
  clusters.set(id, cluster);
  if (cluster.about.paused) {
    await stop(cluster);
    cluster.server = null;
  } else {
    await start(cluster);
  }
  keep(id, cluster.about);
  return cluster.about.port ? factsOf(cluster.about) : {};
}

async function deleteCluster(order) {
  await stop(clusters.get(order.resourceId));
  clusters.delete(order.resourceId);
  fs.rmSync(fileOf(order.resourceId), { force: true });
  return {};
}

const orders = { "cluster.create": putCluster, "cluster.update": putCluster, "cluster.delete": deleteCluster };

async function doOrder(order) {
  const work = orders[order.action];
  try {
    say({ done: { id: order.id, result: "ok", facts: work ? await work(order) : {} } });
  } catch (why) {
    say({ done: { id: order.id, result: "failed", reason: String(why.message) } });
  }
}

function answer(question) {
  const cluster = clusters.get(question.resourceId);
  const { from, until, list } = question.parameters;
  if (!cluster) return undefined;
  if (question.what === "logs") return cluster.log.filter((line) => line.at >= from && line.at <= until).map((line) => line.text);
  if (question.what === "list" && list === "databases") return ["admin"];
  return undefined;
}

function reply(question) {
  const value = answer(question);
  say({ reply: value === undefined ? { id: question.id, unknown: true } : { id: question.id, value } });
}

async function resume() { // starts the clusters of the previous run; reports a cluster whose port another program has taken
  for (const name of fs.readdirSync(folder).filter((file) => file.endsWith(".json"))) {
    const id = path.basename(name, ".json");
    const cluster = { id, about: JSON.parse(fs.readFileSync(path.join(folder, name), "utf8")), server: null, log: [] };
    const was = hostOf(cluster.about);
    clusters.set(id, cluster);
    if (cluster.about.paused) continue;
    await start(cluster).catch(() => {
      delete cluster.about.port;
      return start(cluster);
    });
    keep(id, cluster.about);
    const news = { host: was, up: true };
    if (hostOf(cluster.about) !== was) news.movedTo = hostOf(cluster.about);
    report(cluster, { processes: [news] });
  }
}

say({ driver: 1 });
await resume();
let chain = Promise.resolve(); // carries out orders one after the other
const lines = readline.createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const said = JSON.parse(line);
  if (said.driver !== undefined && said.driver !== 1) process.exit(1);
  if (said.order) chain = chain.then(() => doOrder(said.order));
  else if (said.question) reply(said.question);
});
lines.on("close", () => process.exit(0)); // svcd has ended
