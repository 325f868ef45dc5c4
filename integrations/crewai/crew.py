"""Two runs of a crew with memory. Started by test_real_crewai.py: the model's address and the database are its arguments."""

from __future__ import annotations

import sys

from crewai import LLM, Agent, Crew, Task
from erstwhile_crewai import ErstwhileMemory

import erstwhile

model, database = sys.argv[1:]
llm = LLM(model="openai/test-model", base_url=model, api_key="none")


def run(memory: ErstwhileMemory, wish: str) -> str:
    clerk = Agent(role="clerk", goal="Help travellers.", backstory="You know the harbour.", llm=llm)
    task = Task(description=wish, expected_output="One sentence.", agent=clerk)
    return str(Crew(agents=[clerk], tasks=[task], memory=memory).kickoff())


with erstwhile.open_sync(database) as opened:
    memory = ErstwhileMemory(opened, "harbour")
    print(run(memory, "Find out when the ferry to Ulleungdo leaves."))
    print(run(memory, "Say when the ferry to Ulleungdo leaves."))
    print(len(memory.recall("ferry to Ulleungdo", limit=5)))
    if sys.stdin.readline().strip() == "reset":
        memory.reset()
        print(len(memory.recall("ferry to Ulleungdo", limit=5)))
