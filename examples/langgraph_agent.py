"""The memory as tools of a LangGraph agent (`pip install langgraph` and a chat model)."""

import json

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import StructuredTool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from memctl.tools import BoundTool, Toolset


def to_langchain_tool(tool: BoundTool) -> StructuredTool:
    """Turn one tool of the memory into one of LangChain."""

    def invoke(**arguments: object) -> str:
        return json.dumps(tool.call(arguments), ensure_ascii=False)

    return StructuredTool(
        name=tool.name, description=tool.description, args_schema=tool.schema, func=invoke
    )


def answer(model: BaseChatModel, question: str, memory: Toolset) -> str:
    """Let a graph of a model and its tools answer a question."""
    tools = [to_langchain_tool(tool) for tool in memory]
    asking = model.bind_tools(tools)
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [asking.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode(tools))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    result = graph.compile().invoke({"messages": [("user", question)]})
    return str(result["messages"][-1].content)
