// The real AI SDK with its simulated model, against a running server (ERSTWHILE_URL).

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";

import { erstwhileMemory } from "@erstwhile/ai-sdk";
import { Erstwhile } from "@erstwhile/client";
import { z } from "zod";

const sdk = process.env.AI_SDK ?? "ai"; // the package: "ai", or "ai-7" for the next version beside it
const { APICallError, generateText, stepCountIs, streamText, tool, wrapLanguageModel } = await import(sdk);
const { MockLanguageModelV3, MockLanguageModelV4, simulateReadableStream } = await import(`${sdk}/test`);
const Model = MockLanguageModelV4 ?? MockLanguageModelV3;

const url = process.env.ERSTWHILE_URL;
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const answer = (text) => ({
  content: [{ type: "text", text }],
  finishReason: { unified: "stop", raw: "stop" },
  usage,
  warnings: [],
});
let spaces = 0;
const open = () => new Erstwhile({ url, space: `ai-${process.pid}-${spaces++}` });
const wrapped = (model, options) => wrapLanguageModel({ model, middleware: erstwhileMemory(options) });

async function said(memory, channel) {
  const page = await memory.channel.messages({ channel, limit: 100 });
  return page.messages.map((each) => `${each.role}: ${each.text}`);
}

test("generateText: stored, and recalled in another conversation of the same person", async () => {
  const memory = open();
  const model = new Model({ doGenerate: async () => answer("Noted.") });
  const first = wrapped(model, { memory, channel: "monday", person: "alice" });
  const { text } = await generateText({ model: first, system: "Be brief.", prompt: "I moved to Busan." });
  assert.equal(text, "Noted.");
  assert.deepEqual(await said(memory, "monday"), ["user: I moved to Busan.", "assistant: Noted."]);

  const later = wrapped(model, { memory, channel: "friday", person: "alice" });
  await generateText({ model: later, system: "Be brief.", prompt: "Where do I live now?" });
  const prompt = model.doGenerateCalls.at(-1).prompt;
  assert.deepEqual(prompt.map((each) => each.role), ["system", "system", "user"]);
  assert.equal(prompt[0].content, "Be brief.");
  assert.match(prompt[1].content, /Busan/);
});

test("streamText: the stream is passed on as it is, and the reply is stored when it ends", async () => {
  const memory = open();
  const chunks = [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "Hel" },
    { type: "text-delta", id: "1", delta: "lo!" },
    { type: "text-end", id: "1" },
    { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
  ];
  const model = new Model({ doStream: async () => ({ stream: simulateReadableStream({ chunks }) }) });
  const result = streamText({ model: wrapped(model, { memory, channel: "a", person: "bo" }), prompt: "Hi there" });
  const pieces = [];
  for await (const piece of result.textStream) pieces.push(piece);
  assert.deepEqual(pieces, ["Hel", "lo!"]);
  assert.deepEqual(await said(memory, "a"), ["user: Hi there", "assistant: Hello!"]);
});

test("a turn with a tool stores its question once, and each step has the memory", async () => {
  const memory = open();
  await memory.channel.add({ channel: "a", role: "user", text: "I live in Busan.", person: "bo" });
  const call = { type: "tool-call", toolCallId: "1", toolName: "weather", input: '{"city":"Busan"}' };
  const steps = [
    { ...answer(""), content: [call], finishReason: { unified: "tool-calls", raw: "tool_calls" } },
    answer("Rain in Busan."),
  ];
  const model = new Model({ doGenerate: async () => steps.shift() });
  const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async () => "rain" });
  await generateText({
    model: wrapped(model, { memory, channel: "a", person: "bo" }),
    prompt: "What is the weather where I live?",
    tools: { weather },
    stopWhen: stepCountIs(3),
  });
  assert.equal(model.doGenerateCalls.length, 2);
  for (const each of model.doGenerateCalls) assert.match(JSON.stringify(each.prompt), /I live in Busan/);
  assert.deepEqual((await said(memory, "a")).slice(1), [
    "user: What is the weather where I live?",
    "assistant: Rain in Busan.",
  ]);
});

test("a call that the SDK repeats stores its question once", async () => {
  const memory = open();
  const busy = { message: "busy", url: "", requestBodyValues: {}, statusCode: 503, isRetryable: true };
  const answers = [() => Promise.reject(new APICallError(busy)), async () => answer("Yes.")];
  const model = new Model({ doGenerate: () => answers.shift()() });
  await generateText({ model: wrapped(model, { memory, channel: "a", person: "bo" }), prompt: "Really?" });
  assert.equal(model.doGenerateCalls.length, 2);
  assert.deepEqual(await said(memory, "a"), ["user: Really?", "assistant: Yes."]);
});

test("memory that is away doesn't stop a call, and is reported", async () => {
  const errors = [];
  const memory = new Erstwhile({ url: "http://127.0.0.1:9", patience: 0 });
  const model = new Model({ doGenerate: async () => answer("Still here.") });
  const options = { memory, channel: "a", person: "bo", onError: (error) => errors.push(error) };
  const { text } = await generateText({ model: wrapped(model, options), prompt: "Hello?" });
  assert.equal(text, "Still here.");
  assert.equal(errors.length, 3);
  assert.deepEqual(model.doGenerateCalls[0].prompt.map((each) => each.role), ["user"]);
});

test("memory that hangs delays a call by its timeout once", async () => {
  const errors = [];
  const hanging = createServer(() => {}).listen(0, "127.0.0.1");
  await once(hanging, "listening");
  const memory = new Erstwhile({ url: `http://127.0.0.1:${hanging.address().port}` });
  const model = new Model({ doGenerate: async () => answer("Still here.") });
  const options = { memory, channel: "a", person: "bo", timeout: 500, onError: (error) => errors.push(error) };
  const started = Date.now();
  const { text } = await generateText({ model: wrapped(model, options), prompt: "Hello?" });
  const took = Date.now() - started;
  assert.equal(text, "Still here.");
  assert.ok(took > 450 && took < 900, `${took} ms`);
  while (errors.length < 3) await setTimeout(20); // the context, the question and the reply
  hanging.closeAllConnections();
  hanging.close();
});

test("readOnly stores nothing", async () => {
  const memory = open();
  const model = new Model({ doGenerate: async () => answer("Yes.") });
  await generateText({ model: wrapped(model, { memory, channel: "a", readOnly: true }), prompt: "Anyone?" });
  assert.deepEqual((await memory.channels.list()).channels, []);
});
