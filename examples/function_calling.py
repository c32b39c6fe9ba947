"""Function calling with the package `openai`, without a framework.

It works with every provider that speaks OpenAI's chat completions.
"""

import json

from openai import OpenAI

from memctl.tools import Toolset


def answer(client: OpenAI, model: str, question: str, memory: Toolset) -> str:
    """Let a model answer a question, with the memory at hand."""
    messages = [{"role": "user", "content": question}]
    declared = [tool.describe_for_openai() for tool in memory]
    while True:
        reply = client.chat.completions.create(model=model, messages=messages, tools=declared)
        message = reply.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return message.content or ""
        for call in message.tool_calls:
            result = memory.call(call.function.name, call.function.arguments)
            content = json.dumps(result, ensure_ascii=False)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
