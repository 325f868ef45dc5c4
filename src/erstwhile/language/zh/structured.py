"""Chinese rules for structured memories, simplified with the traditional forms of the words looked for."""

from __future__ import annotations

import re
from typing import Final

from erstwhile.language.facts import words
from erstwhile.language.structured import PatternRule, Rules

_I: Final = "(?:我|我们|我們|咱们)"
_NOW: Final = "(?:现在|現在|目前|已经|已經|就|刚|剛|刚刚|最近|上周|上个月|去年|今年|还|也|都|一直|真的|很|非常|特别|特別|最|超级?|挺)"
_WHEN: Final = rf"(?:{_NOW}|上个?月|上個月|上个?星期|上週|昨天|前天|前年|终于|終於|[0-9一二两兩三四五六七八九十几幾]+(?:年|个月|個月|天)前)"
_WITH: Final = "(?:[和跟与與](?![^，。！？]{0,6}[他她])[^，。！？]{1,6}?)"
# Whose matter it is, where it is not that of whoever speaks.
_KIN: Final = (
    "(?:的|家|妈|媽|爸|母|父|姐|妹|哥|弟|老婆|老公|妻|丈夫|女|男|儿|兒|室友|同事|同学|同學|朋友|闺蜜|老板|老闆|爷|爺|奶|外公|外婆|孩子|小孩|小狗|小猫"
    "|狗|猫|貓|养|養|们的|們的)"
)
_NAME: Final = "[一-鿿A-Za-z]"
_STOP: Final = "(?=[，。！？,.!?；、 ]|了|$)"

STRUCTURED: Final = Rules(
    rules=(
        PatternRule(
            "fact",
            "home",
            words(
                rf"{_I}(?:已经|现在)?不(?:再)?住(?:在)?(?P<value>{_NAME}{{2,8}}?)了"
                rf"|{_I}以前住(?:在)?(?P<value2>{_NAME}{{2,8}}?){_STOP}"
            ),
            "{name}不再住在{value}。",
            done=True,
        ),
        PatternRule(
            "fact",
            "home",
            words(
                rf"{_I}{_NOW}{{0,2}}住(?:在|到)?(?P<value>{_NAME}{{2,8}}?){_STOP}"
                rf"|{_I}{_WHEN}{{0,3}}{_WITH}?{_WHEN}{{0,2}}搬(?:家)?(?:到|去|来|來)了?(?P<value2>{_NAME}{{2,8}}?){_STOP}"
            ),
            "{name}住在{value}。",
        ),
        PatternRule(
            "fact",
            "employer",
            words(rf"我{_NOW}{{0,2}}在(?P<value>[^，。！？\s]{{2,12}}?)(?:工作|上班)"),
            "{name}在{value}工作。",
        ),
        PatternRule(
            "fact",
            "job",
            words(
                rf"我{_NOW}{{0,2}}是(?:一?[名位个個])?(?P<value>老师|老師|医生|醫生|护士|護士|工程师|工程師|程序员"
                rf"|律师|律師|设计师|設計師|学生|學生|厨师|司机|会计|记者|警察|公务员|翻译)"
            ),
            "{name}是{value}。",
        ),
        PatternRule(
            "fact",
            "name",
            words(r"我(?:的名字)?叫(?P<value>[一-鿿]{2,4}?|[A-Z][a-z]{1,20})(?=[，。！,.! ]|$)"),
            "{name}叫{value}。",
        ),
        PatternRule("fact", "age", words(r"我(?:今年|已经|现在)?(?P<value>\d{1,2})[岁歲]"), "{name}{value}岁。"),
        PatternRule(
            "fact",
            "birthday",
            words(r"我的?生日是(?P<value>[0-9一二三四五六七八九十]{1,3}月[0-9一二三四五六七八九十]{1,3}[号號日])"),
            "{name}的生日是{value}。",
        ),
        PatternRule(
            "fact",
            "relationship",
            words(
                r"我(?:已经|已經|刚|剛|现在|還|还)?(?:是)?(?P<value>单身|單身|结婚|結婚|离婚|離婚|订婚|訂婚)(?:了|$|[，。])"
            ),
            "{name}：{value}。",
        ),
        PatternRule(
            "fact",
            "pet",
            words(
                rf"我(?:的|家的?|养的)?(?P<what>猫|貓|狗|小狗|小猫)(?:的名字)?叫(?P<value>{_NAME}{{1,6}}?)(?=[，。！,.! ]|$)"
            ),
            "{name}的{what}叫{value}。",
        ),
        PatternRule(
            "entity",
            "{what}",
            words(
                rf"我的?(?P<what>妈妈|爸爸|姐姐|妹妹|哥哥|弟弟|老婆|妻子|老公|丈夫|女朋友|男朋友|儿子|女儿|室友"
                rf"|老板|同事)叫(?P<value>{_NAME}{{2,6}}?)(?=[，。！,.! ]|$)"
            ),
            "{value}是{name}的{what}。",
            entity=True,
        ),
        PatternRule(
            "preference",
            "favourite {what}",
            words(rf"我最(?:喜欢|喜歡|爱|愛)的(?P<what>{_NAME}{{1,5}}?)(?:是|就是)(?P<value>[^，。！？,.!?]{{1,12}})"),
            "{name}最喜欢的{what}是{value}。",
        ),
        PatternRule(
            "preference",
            "allergy",
            words(
                rf"我{_NOW}{{0,2}}[对對](?P<value>[^，。！？对對]{{1,8}}?)(?:过敏|過敏)"
                rf"|我(?!{_KIN}|们|們)(?P<value2>[^，。！？对對]{{1,8}}?)(?:过敏|過敏)"
            ),
            "{name}对{value}过敏。",
        ),
        PatternRule(
            "preference",
            "diet",
            words(r"我(?:现在|已经|一直)?(?:是)?(?P<value>吃素|素食者|素食主义者)"),
            "{name}{value}。",
        ),
        PatternRule(
            "preference",
            "likes",
            words(
                rf"我(?:现在|已经|已經)?不(?:再)?(?:喜欢|喜歡|爱(?:吃|喝|看)?)(?P<value>[^，。！？了]{{1,10}}?)了"
                rf"|(?P<value2>{_NAME}{{1,8}}?)我(?:现在|已经)?不(?:再)?喜欢了"
            ),
            "{name}不再喜欢{value}。",
            done=True,
        ),
        PatternRule(
            "preference",
            "dislikes",
            words(
                rf"我{_NOW}{{0,2}}(?:讨厌|討厭|不喜欢|不喜歡|不爱(?:吃|喝|看)?"
                rf"|受不了)(?P<value>[^，。！？了]{{1,10}}?)(?=[，。！？,.!? ]|$)"
            ),
            "{name}不喜欢{value}。",
        ),
        PatternRule(
            "preference",
            "likes",
            words(
                rf"我{_NOW}{{0,2}}(?:喜欢|喜歡|爱吃|爱喝|爱看|愛吃|愛喝"
                rf"|偏爱)(?P<value>[^，。！？了]{{1,10}}?)(?=[，。！？,.!? ]|$)"
            ),
            "{name}喜欢{value}。",
        ),
        PatternRule(
            "decision",
            "",
            words(rf"{_I}(?:已经|最后|终于)?(?:决定|決定|商量好|说好)了?(?P<value>[^，。！？]{{2,30}})"),
            "{name}决定{value}。",
        ),
        PatternRule(
            "todo",
            "",
            words(r"(?:我)?(?:已经|终于)?(?:把)?(?P<value>[^，。！？我]{2,20}?)(?:做完了|办好了|搞定了|弄好了|办完了)"),
            "{name}已完成：{value}。",
            done=True,
        ),
        PatternRule(
            "todo",
            "",
            words(
                rf"{_I}(?:明天|今天|后天|下周[一二三四五六日]?|还|還|待会儿?|等会儿?){{0,2}}(?:得|必须|必須"
                rf"|需要)(?P<value>[^，。！？]{{2,24}})"
                rf"|{_I}(?:明天|今天|后天|下周[一二三四五六日]?|待会儿?|等会儿?)要(?P<value2>[^，。！？]{{2,24}})"
                r"|(?:^|[，,])(?:记得|記得|别忘了|別忘了|不要忘记|提醒我)(?P<value3>[^，。！？]{2,24})"
                r"|^待办[：:] ?(?P<value4>[^，。！？]{2,24})"
            ),
            "{name}要{value}。",
            request=True,
        ),
    ),
    useless=re.compile(
        r"^(?:你|您|他|她|它|这|那|這|新家|这里|这儿|那里|那儿|外面|宿舍|学校|學校|公寓|房子|家里|一起|的|得|说|想"
        r"|觉得|看看|走了|回家|睡觉|去了|什么|哪|一个人|附近|"
        r"上(?:次|周)|我们?去年)|[吗呢吧]$"
    ),
    maybe=re.compile(r"如果|要是|假如|的话|也许|可能|希望|想(?!吃|喝)|开玩笑|不用|不必"),
    ending=re.compile(r"(?:了|吧|呢|啊|呀|啦|哦|的)+$"),
    today=(("今天", 0), ("今晚", 0), ("明天", 1), ("明晚", 1), ("后天", 2)),
)
