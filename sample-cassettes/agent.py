"""Answers questions about parcels with a model and one tool."""

import json

import httpx

SYSTEM = "You answer questions about parcels. Look up the parcel first, and promise nothing."

LOOK_UP_PARCEL = {
    "type": "function",
    "function": {
        "name": "look_up_parcel",
        "description": "Where a parcel is",
        "strict": True,
        "parameters": {
            "type": "object",
            "properties": {"parcel": {"type": "string"}},
            "required": ["parcel"],
            "additionalProperties": False,
        },
    },
}

PARCELS = {"P-4471": "in Leipzig since Monday", "P-4472": "lost"}


def answer(question: str) -> str:
    """Returns the answer of the model, after it has looked up what it wants to know."""
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question}]
    while True:
        message = call(messages)
        messages.append(message)
        if not message.get("tool_calls"):
            return message["content"]
        for tool_call in message["tool_calls"]:
            parcel = json.loads(tool_call["function"]["arguments"])["parcel"]
            messages.append(
                {"role": "tool", "tool_call_id": tool_call["id"], "content": PARCELS.get(parcel, "unknown")}
            )


def call(messages: list) -> dict:
    response = httpx.post(
        "https://api.openai.com/v1/chat/completions",
        headers={"authorization": "Bearer no-key"},
        json={"model": "gpt-5", "messages": messages, "tools": [LOOK_UP_PARCEL]},
    )
    response.raise_for_status()
    return response.json()["choices"][0]["message"]
