"""Chinese question words."""

from typing import Final

QUESTIONS: Final = (
    "为什么|為什麼|什么时候|什麼時候|什么|什麼|怎么样|怎麼樣"
    "|怎么|怎麼|哪里|哪裡|哪儿|哪些|哪个|多少|几点|是谁|谁|誰|吗|嗎|呢"
)
