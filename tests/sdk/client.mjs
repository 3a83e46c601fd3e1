// Sends requests to an endpoint with the official SDKs, and prints the parsed answers, one line of JSON for each call.
//
// node client.mjs BASE_URL API…    API: anthropic, chat, responses, gemini; with `:whole` not streamed.

import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";

const [base, ...apis] = process.argv.slice(2);
const key = "sk-test-must-never-be-written";
const schema = { type: "object", properties: { day: { type: "integer" } } };
const prompt = "When is the export fixed?";

const emptyResult = () => ({ text: "", calls: [], chunks: 0 });
const parsed = (json) => (json === "" ? {} : JSON.parse(json));

async function anthropic(whole) {
  const client = new Anthropic({ apiKey: key, baseURL: base, maxRetries: 0 });
  const tools = [{ name: "remind", description: "Reminds", input_schema: schema }];
  const request = { model: "test-model", max_tokens: 100, tools, messages: [{ role: "user", content: prompt }] };
  const result = emptyResult();
  const take = (message) => {
    for (const block of message.content) {
      if (block.type === "text") result.text += block.text;
      if (block.type === "tool_use") result.calls.push({ name: block.name, input: block.input });
    }
    result.stop = message.stop_reason;
  };
  if (whole) {
    take(await client.messages.create(request));
    return result;
  }
  const stream = client.messages.stream(request);
  stream.on("text", () => (result.chunks += 1));
  take(await stream.finalMessage());
  return result;
}

const openai = () => new OpenAI({ apiKey: key, baseURL: `${base}/v1`, maxRetries: 0 });

async function chat(whole) {
  const tools = [{ type: "function", function: { name: "remind", description: "Reminds", parameters: schema } }];
  const request = { model: "test-model", tools, messages: [{ role: "user", content: prompt }] };
  const result = emptyResult();
  const take = ({ message, finish_reason }) => {
    result.text = message.content ?? "";
    const calls = message.tool_calls ?? [];
    result.calls = calls.map((call) => ({ name: call.function.name, input: parsed(call.function.arguments) }));
    result.stop = finish_reason;
  };
  if (whole) {
    take((await openai().chat.completions.create(request)).choices[0]);
    return result;
  }
  const stream = openai().chat.completions.stream(request);
  stream.on("content", () => (result.chunks += 1));
  take((await stream.finalChatCompletion()).choices[0]);
  return result;
}

async function responses(whole) {
  const tools = [{ type: "function", name: "remind", description: "Reminds", parameters: schema, strict: false }];
  const request = { model: "test-model", tools, input: prompt };
  const result = emptyResult();
  const take = (response) => {
    result.text = response.output_text;
    const calls = response.output.filter((item) => item.type === "function_call");
    result.calls = calls.map((call) => ({ name: call.name, input: parsed(call.arguments) }));
    result.stop = response.status;
  };
  if (whole) {
    take(await openai().responses.create(request));
    return result;
  }
  const stream = openai().responses.stream(request);
  stream.on("response.output_text.delta", () => (result.chunks += 1));
  take(await stream.finalResponse());
  return result;
}

async function gemini(whole) {
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: base } });
  const tools = [{ functionDeclarations: [{ name: "remind", description: "Reminds", parametersJsonSchema: schema }] }];
  const request = { model: "test-model", contents: prompt, config: { systemInstruction: "Be brief.", tools } };
  const result = emptyResult();
  const take = (response) => {
    const parts = response.candidates?.[0]?.content?.parts ?? [];
    for (const part of parts) {
      if (part.text !== undefined) result.text += part.text;
      if (part.text) result.chunks += 1;
      if (part.functionCall) result.calls.push({ name: part.functionCall.name, input: part.functionCall.args });
    }
    result.stop = response.candidates?.[0]?.finishReason ?? result.stop;
  };
  if (whole) {
    take(await client.models.generateContent(request));
    result.chunks = 0;
    return result;
  }
  for await (const chunk of await client.models.generateContentStream(request)) take(chunk);
  return result;
}

const all = { anthropic, chat, responses, gemini };
for (const name of apis) {
  const [api, form] = name.split(":");
  try {
    const result = await all[api](form === "whole");
    console.log(JSON.stringify({ api: name, ...result }));
  } catch (error) {
    console.log(JSON.stringify({ api: name, status: error.status ?? null, error: String(error.message) }));
  }
}
