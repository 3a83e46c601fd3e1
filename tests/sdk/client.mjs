// Asks an endpoint by the official SDKs, and prints what each made of the answers: one line of JSON a call.
//
// node client.mjs BASE_URL API…    API: anthropic, chat, responses, gemini; with `:whole` not streamed.

import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";

const [base, ...apis] = process.argv.slice(2);
const key = "sk-test-must-never-be-written";
const schema = { type: "object", properties: { day: { type: "integer" } } };
const prompt = "When is the export fixed?";

const heard = () => ({ text: "", calls: [], chunks: 0 });
const parsed = (json) => (json === "" ? {} : JSON.parse(json));

async function anthropic(whole) {
  const client = new Anthropic({ apiKey: key, baseURL: base, maxRetries: 0 });
  const tools = [{ name: "remind", description: "Reminds", input_schema: schema }];
  const request = { model: "test-model", max_tokens: 100, tools, messages: [{ role: "user", content: prompt }] };
  const said = heard();
  const take = (message) => {
    for (const block of message.content) {
      if (block.type === "text") said.text += block.text;
      if (block.type === "tool_use") said.calls.push({ name: block.name, input: block.input });
    }
    said.stop = message.stop_reason;
  };
  if (whole) {
    take(await client.messages.create(request));
    return said;
  }
  const stream = client.messages.stream(request);
  stream.on("text", () => (said.chunks += 1));
  take(await stream.finalMessage());
  return said;
}

const openai = () => new OpenAI({ apiKey: key, baseURL: `${base}/v1`, maxRetries: 0 });

async function chat(whole) {
  const tools = [{ type: "function", function: { name: "remind", description: "Reminds", parameters: schema } }];
  const request = { model: "test-model", tools, messages: [{ role: "user", content: prompt }] };
  const said = heard();
  const take = ({ message, finish_reason }) => {
    said.text = message.content ?? "";
    const calls = message.tool_calls ?? [];
    said.calls = calls.map((call) => ({ name: call.function.name, input: parsed(call.function.arguments) }));
    said.stop = finish_reason;
  };
  if (whole) {
    take((await openai().chat.completions.create(request)).choices[0]);
    return said;
  }
  const stream = openai().chat.completions.stream(request);
  stream.on("content", () => (said.chunks += 1));
  take((await stream.finalChatCompletion()).choices[0]);
  return said;
}

async function responses(whole) {
  const tools = [{ type: "function", name: "remind", description: "Reminds", parameters: schema, strict: false }];
  const request = { model: "test-model", tools, input: prompt };
  const said = heard();
  const take = (response) => {
    said.text = response.output_text;
    const calls = response.output.filter((item) => item.type === "function_call");
    said.calls = calls.map((call) => ({ name: call.name, input: parsed(call.arguments) }));
    said.stop = response.status;
  };
  if (whole) {
    take(await openai().responses.create(request));
    return said;
  }
  const stream = openai().responses.stream(request);
  stream.on("response.output_text.delta", () => (said.chunks += 1));
  take(await stream.finalResponse());
  return said;
}

async function gemini(whole) {
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: base } });
  const tools = [{ functionDeclarations: [{ name: "remind", description: "Reminds", parametersJsonSchema: schema }] }];
  const request = { model: "test-model", contents: prompt, config: { systemInstruction: "Be brief.", tools } };
  const said = heard();
  const take = (response) => {
    const parts = response.candidates?.[0]?.content?.parts ?? [];
    for (const part of parts) {
      if (part.text !== undefined) said.text += part.text;
      if (part.text) said.chunks += 1;
      if (part.functionCall) said.calls.push({ name: part.functionCall.name, input: part.functionCall.args });
    }
    said.stop = response.candidates?.[0]?.finishReason ?? said.stop;
  };
  if (whole) {
    take(await client.models.generateContent(request));
    said.chunks = 0;
    return said;
  }
  for await (const chunk of await client.models.generateContentStream(request)) take(chunk);
  return said;
}

const all = { anthropic, chat, responses, gemini };
for (const name of apis) {
  const [api, form] = name.split(":");
  try {
    const said = await all[api](form === "whole");
    console.log(JSON.stringify({ api: name, ...said }));
  } catch (error) {
    console.log(JSON.stringify({ api: name, status: error.status ?? null, error: String(error.message) }));
  }
}
