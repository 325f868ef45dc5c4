"""Chinese that is not to be taken at its word."""

from typing import Final

from erstwhile.language.suspicion import Suspicion

SUSPICION: Final = Suspicion(
    secret=r"(?:密码|密碼|口令)\s*(?:是|为|：|:|=)\s*\S+",
    instruction=(
        "(?:忽略|无视|無視)(?:之前|以上|所有)?.{0,6}(?:指令|指示|规则|規則)"
        "|(?:从现在起|今后|以后)?(?:必须|总是|永远).{0,20}(?:回答|回复|发送|说)"
        "|(?:必须|都要|都得|應該|应该)(?:服从|服從|听从|聽從)"
    ),
    authority="是(?:你的|这里的|本群的)?(?:管理员|開發者|开发者|主人|群主|所有者)",
    sending=r"(?:发送|发给|发到|转发|上传|寄给|寄到|傳送|轉發)[^\n]{0,30}?TO",
    orders="(?:忽略|无视|忘记|不要理会).{0,10}(?:指令|指示|提示|规则|内容)|系统提示",
)
