// Has a conversation with the AI SDK, whose model answers from standard input, and prints the messages that the SDK makes.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(join(process.argv[2], "x.js")));
const { convertToModelMessages, jsonSchema, readUIMessageStream, simulateReadableStream, stepCountIs, streamText, tool } = require("ai");
const { MockLanguageModelV3 } = require("ai/test");

const run = JSON.parse(readFileSync(0, "utf8"));
const answers = run.turns.flatMap((turn) => turn.answers);
const results = Object.fromEntries(answers.flatMap((answer) => answer.tools).map((tool) => [tool.id, tool]));

function parts({ text, thought, usage, tools }) {
  const block = (kind, id, delta) => [{ type: `${kind}-start`, id }, { type: `${kind}-delta`, id, delta }, { type: `${kind}-end`, id }];
  return [
    { type: "stream-start", warnings: [] },
    ...(thought ? block("reasoning", "r", thought) : []),
    ...(text ? block("text", "t", text) : []),
    ...tools.map(({ id, name, arguments: input }) => ({ type: "tool-call", toolCallId: id, toolName: name, input: JSON.stringify(input) })),
    {
      type: "finish",
      finishReason: { unified: tools.length ? "tool-calls" : "stop", raw: undefined },
      usage: { inputTokens: { total: usage[0] }, outputTokens: { total: usage[1] } },
    },
  ];
}

const model = new MockLanguageModelV3({
  doStream: async () => ({ stream: simulateReadableStream({ chunks: parts(answers.shift()), initialDelayInMs: null, chunkDelayInMs: null }) }),
});
const execute = async (_, { toolCallId }) => {
  const { failed, result } = results[toolCallId];
  if (failed) throw new Error(result);
  return result;
};
const tools = Object.fromEntries(
  run.tools.map(({ name, description, schema }) => [name, tool({ description, inputSchema: jsonSchema(schema), execute })]),
);
let messages = run.ui || !run.system ? [] : [{ role: "system", content: run.system }];
for (const { input } of run.turns) {
  messages.push(run.ui ? { id: `u${messages.length}`, role: "user", parts: [{ type: "text", text: input }] } : { role: "user", content: input });
  const stream = streamText({
    model,
    messages: run.ui ? await convertToModelMessages(messages) : messages,
    tools,
    stopWhen: stepCountIs(99),
    allowSystemInMessages: true,
  });
  if (!run.ui) {
    messages.push(...(await stream.response).messages);
    continue;
  }
  const onFinish = ({ messages: all }) => (messages = all);
  const usage = ({ part }) => (part.type === "finish" ? { totalUsage: part.totalUsage } : undefined);
  const ui = stream.toUIMessageStream({ originalMessages: messages, onFinish, messageMetadata: usage, generateMessageId: () => `a${messages.length}` });
  for await (const _ of readUIMessageStream({ stream: ui }));
}
console.log(JSON.stringify(messages));
