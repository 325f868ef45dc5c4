// Against a running server, whose address is in ERSTWHILE_URL.

import assert from "node:assert/strict";
import http from "node:http";
import { test } from "node:test";

import { Erstwhile, ErstwhileError } from "@erstwhile/client";

const url = process.env.ERSTWHILE_URL;
let spaces = 0;
const open = (options = {}) => new Erstwhile({ url, space: `client-${process.pid}-${spaces++}`, ...options });

test("a message is stored, found and part of a context", async () => {
  const memory = open();
  const channel = "support/42 ü";
  const said = await memory.channel.add({ channel, role: "user", text: "I moved to Busan.", person: "alice" });
  assert.equal(said.seq, 1);
  const several = await memory.channel.add({ channel, messages: [{ role: "assistant", text: "Noted." }] });
  assert.equal(several.messages.length, 1);
  const context = await memory.channel.context({ channel, query: "Where does alice live?", person: "alice" });
  assert.match(context.text, /Busan/);
  const found = await memory.memory.search({ q: "Busan", limit: 5 });
  assert.equal(found.hits[0].text, "I moved to Busan.");
  const page = await memory.channel.messages({ channel, limit: 1 });
  assert.equal(page.messages.length, 1);
  assert.equal((await memory.channel.messages({ channel, limit: 1, cursor: page.next })).messages.length, 1);
});

test("edits, deletions, people and settings", async () => {
  const memory = open();
  const channel = "a";
  await memory.channel.add({ channel, role: "user", text: "old", person: "bo", key: "k/1" });
  assert.equal((await memory.channel.edit({ channel, key: "k/1", text: "new" })).message.text, "new");
  assert.equal((await memory.channel.delete({ channel, key: ["k/1", "k/2"] })).deleted, 1);
  await memory.memory.remember({ person: "bo", fact: "keeps bees", by: "bo" });
  assert.match((await memory.memory.about({ person: "bo" })).told, /bees/);
  assert.equal(await memory.channels.setPrivacy({ channel, privacy: "private", people: ["bo"] }), undefined);
  assert.ok((await memory.channels.list()).channels.length >= 1);
});

test("a refusal is an error with its reason", async () => {
  const memory = open();
  await assert.rejects(memory.requests.explain({ request: "req_x" }), (error) => {
    assert.ok(error instanceof ErstwhileError);
    assert.equal(error.status, 404);
    assert.match(error.message, /req_x/);
    return true;
  });
  await assert.rejects(memory.channel.add({ channel: "a", role: "nobody", text: "x" }), { status: 422 });
  await assert.rejects(open({ key: "er_wrong" }).channels.list(), { status: 401 });
  await assert.rejects(memory.channels.list({ colour: "red" }), TypeError);
});

test("an id that no URL can hold is refused, and is no other call", async () => {
  const asked = [];
  const memory = open({
    patience: 0,
    fetch: async (to) => {
      asked.push(new URL(to).pathname);
      return new Response("{}", { headers: { "content-type": "application/json" } });
    },
  });
  for (const id of ["", ".", ".."]) {
    await assert.rejects(memory.memory.export({ person: id }), TypeError); // of the whole space
    await assert.rejects(memory.memory.eraseChannel({ channel: id }), TypeError);
    await assert.rejects(memory.channels.list({ space: id }), TypeError);
  }
  assert.deepEqual(asked, []);
  await memory.memory.export({ person: "..." });
  assert.match(asked[0], /people\/\.\.\.\/export$/);
});

test("an export comes as bytes, events as they happen", async () => {
  const memory = open();
  await memory.channel.add({ channel: "a", role: "user", text: "first", person: "bo" });
  const zip = await memory.memory.exportSpace();
  assert.deepEqual([...zip.slice(0, 2)], [0x50, 0x4b]);
  const stop = new AbortController();
  const seen = [];
  const watching = (async () => {
    for await (const event of memory.events.watch({ kinds: "message" }, { signal: stop.signal })) {
      seen.push(event);
      break;
    }
  })();
  await new Promise((resolve) => setTimeout(resolve, 300));
  await memory.channel.add({ channel: "a", role: "user", text: "second", person: "bo" });
  await watching;
  stop.abort();
  assert.ok(seen[0].id);
  assert.equal(typeof seen[0].data, "object");
});

/** A server between client and memory that breaks the first `times` answers. */
async function breaking(times, how) {
  let left = times;
  const proxy = http.createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", async () => {
      const body = chunks.length ? Buffer.concat(chunks) : undefined;
      const headers = { ...request.headers };
      for (const name of ["host", "connection", "content-length", "transfer-encoding"]) delete headers[name];
      if (left-- > 0) return how(response, () => fetch(url + request.url, { method: request.method, headers, body }));
      const answer = await fetch(url + request.url, { method: request.method, headers, body });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${proxy.address().port}`, close: () => proxy.close() };
}

test("an answer that was lost is asked for again, and nothing is stored twice", async () => {
  const proxy = await breaking(2, async (response, forward) => {
    await forward(); // it arrives, and the answer is lost
    response.destroy();
  });
  const memory = open({ url: proxy.url });
  const said = await memory.channel.add({ channel: "a", role: "user", text: "once", person: "bo" });
  assert.equal(said.seq, 1);
  assert.equal((await memory.channel.messages({ channel: "a" })).messages.length, 1);
  proxy.close();
});

test("a server that is busy is waited for, an act that may have happened is not repeated", async () => {
  const busy = await breaking(1, (response) => response.writeHead(503, { "retry-after": "1" }).end("{}"));
  const started = Date.now();
  await open({ url: busy.url }).channels.list();
  assert.ok(Date.now() - started >= 1000);
  busy.close();
  let calls = 0;
  const lost = await breaking(9, (response) => {
    calls += 1;
    response.destroy();
  });
  await assert.rejects(open({ url: lost.url }).memory.remember({ person: "bo", fact: "is here" }), { status: 0 });
  assert.equal(calls, 1);
  lost.close();
});

test("patience ends", async () => {
  const gone = new Erstwhile({ url: "http://127.0.0.1:9", patience: 0.5 });
  await assert.rejects(gone.channels.list(), (error) => error.status === 0 && /127.0.0.1:9/.test(error.message));
});
