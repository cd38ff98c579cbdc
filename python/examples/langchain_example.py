"""A LangChain RAG with two planted faults, recorded and diagnosed.

The retriever counts shared words and takes two passages: "the alert be off" shares more words with two other documents, so
ranking loses the silence. The scripted model guesses the postage although it has read it, so generation loses that answer.
"""

from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from team import DOCUMENTS, QUESTIONS

import ragtriage
from ragtriage.langchain import RecordingHandler


class Overlap(BaseRetriever):
    """Ranks all documents by the number of words that they share with the query."""

    def _get_relevant_documents(self, query: str, *, run_manager: object) -> list[Document]:
        words = set(query.lower().strip("?").split())
        documents = [Document(page_content=text, metadata={"source": name}) for name, text in DOCUMENTS.items()]
        return sorted(documents, key=lambda document: -len(words & set(document.page_content.lower().split())))


top_two = RunnableLambda(lambda documents: "\n".join(document.page_content for document in documents[:2]))
prompt = ChatPromptTemplate.from_template("Answer {question} from:\n{context}")
model = FakeListChatModel(responses=["6 minutes", "8 hours", "EUR 3"])
chain = {"context": Overlap() | top_two, "question": RunnablePassthrough()} | prompt | model | StrOutputParser()

with ragtriage.Recorder("record.jsonl") as recorder:
    handler = RecordingHandler(recorder)
    for question in QUESTIONS:
        chain.invoke(question["text"], config={"callbacks": [handler]})

run = ragtriage.diagnose("record.jsonl", documents=DOCUMENTS, questions=QUESTIONS, name="langchain")
print(run.verdict)
for id, row in run.questions().items():
    print(id, row["class"])
