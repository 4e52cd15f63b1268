// A client of remote bots in plain node, without packages. It plays the first legal action: replace `choose`.
//
//   RENSHO_URL=http://localhost:8000 RENSHO_TOKEN=rensho_... node client.mjs VERSION [LADDER]
//
// Source: docs/remote.md, "Writing a client". docs/bot-protocol.md has the fields of hello and requests.

const [version, ladder] = process.argv.slice(2);
const api = `${process.env.RENSHO_URL}/api/v1/remote`;
const headers = { Authorization: `Bearer ${process.env.RENSHO_TOKEN}`, "Content-Type": "application/json" };
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const hellos = new Map(); // The hello of each running table.
const asked = new Set(); // Ids of requests that are answered, or will be soon.
let generation = null;
let isOver = false;

async function choose(request, hello) {
  return request.legal[0];
}

/** Send the same bytes until the site gives a definite reply. */
async function post(path, value) {
  const body = JSON.stringify(value);
  for (let wait = 250; ; wait = Math.min(2 * wait, 5000)) {
    try {
      const signal = AbortSignal.timeout(10_000);
      const reply = await fetch(`${api}/${path}`, { method: "POST", headers, body, signal });
      if (reply.ok) return;
      if (reply.status !== 429 && reply.status < 500) return console.error(path, (await reply.json()).detail);
    } catch (error) {
      console.error(path, error.message);
    }
    await pause(wait * (0.5 + Math.random() / 2));
  }
}

async function play({ table, hello, message }) {
  if (hello) hellos.set(table, hello);
  if (!message || asked.has(message.id)) return;
  asked.add(message.id);
  await post(`tables/${table}/answers`, { id: message.id, action: await choose(message, hellos.get(table)) });
}

function take(line) {
  if (line.type === "state") generation = line.generation;
  if (line.type === "state") line.tables.forEach(play);
  if (line.type === "table" || line.type === "request") play(line);
  if (line.type === "settled") asked.delete(line.id);
  if (line.type === "over") hellos.delete(line.table);
  if (line.type === "replaced" || line.type === "paused") isOver = true;
  if (!["heartbeat", "request"].includes(line.type)) console.log(JSON.stringify(line).slice(0, 200));
}

/** Read one stream to its end, or to 25 seconds of silence. */
async function follow() {
  const silent = new AbortController();
  let timer = setTimeout(() => silent.abort(), 25_000);
  const query = new URLSearchParams({ version, ...(ladder && { ladder }) });
  const reply = await fetch(`${api}/stream?${query}`, { headers, signal: silent.signal });
  isOver = reply.status >= 400 && reply.status < 500 && reply.status !== 429;
  if (!reply.ok) throw new Error((await reply.json()).detail);
  let rest = "";
  for await (const chunk of reply.body.pipeThrough(new TextDecoderStream())) {
    timer.refresh();
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) take(JSON.parse(line));
  }
  clearTimeout(timer);
}

setInterval(() => generation !== null && post("alive", { version, generation }), 10_000);
for (let wait = 1000; !isOver; wait = Math.min(2 * wait, 30_000)) {
  await follow().catch((error) => console.error(error.message));
  if (generation !== null) wait = 500; // It was connected.
  generation = null;
  if (!isOver) await pause(wait * (0.5 + Math.random()));
}
process.exit();
