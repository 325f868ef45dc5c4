# ruff: noqa: E501
"""Invented talk of one person with a long-winded assistant, and questions about it with the messages that answer them.

Each exchange is a day's: what the person says, and what the assistant replies; stock sentences make the reply as long as an
assistant's. Between them are others on the same subjects that answer nothing (`fillers`). A question names its evidence by exchange and side: "boots/user" or "boots/reply".
"""

from __future__ import annotations

from typing import NamedTuple


class Exchange(NamedTuple):
    key: str
    language: str
    user: str
    reply: str


EXCHANGES = (
    Exchange("boots", "en", "My hiking boots, the Meindl ones, cost me 240 euros and they leak already.", "Leaking after a short time is a warranty case. For hiking boots I would ask the shop first and Meindl second; and for the next pair I recommend the Hanwag Tatra."),
    Exchange("degree", "en", "I finished my degree in landscape ecology in Freising, by the way.", "Congratulations! With a degree like that you could look at city planning offices, at nature reserves, or at teaching."),
    Exchange("pasta", "en", "What can I cook tonight with chickpeas and spinach?", "A stew of chickpeas and spinach takes twenty minutes: onions, cumin, the chickpeas, a tin of tomatoes, spinach at the end, lemon on top. I call it garbanzos con espinacas, as they do in Seville."),
    Exchange("allergy", "en", "From now on leave out walnuts, please: they make my throat swell.", "Understood. Walnuts are in pesto rosso, in many breads and in carrot cake, so I will suggest sunflower seeds in their place."),
    Exchange("format", "en", "I prefer short answers with bullet points.", "Noted, though a complicated question sometimes needs a paragraph. Recipes, plans and comparisons I will give you as lists."),
    Exchange("job", "en", "I start at the water authority on the third of May, as a hydrologist.", "Great news! In the first weeks at a public authority it helps to learn who signs what, to read the last annual report and to ask for the maps of the catchment."),
    Exchange("sister", "en", "My sister Lea is visiting from Graz next weekend with her twins.", "Lovely! With twins a visit to the natural history museum, the paddling boats and the miniature railway would fit into one weekend."),
    Exchange("novel", "en", "Can you recommend a novel about the sea?", "For the sea I would read The Shipping News by Annie Proulx first: it is set in Newfoundland and smells of salt on every page. Moby-Dick is the other one, if you have patience."),
    Exchange("dentist", "en", "The dentist put in a crown on Tuesday, lower left, 780 euros.", "A crown should feel normal after about two weeks. If it is too high when you bite, go back and have it ground; insurance often pays a part of the 780 euros."),
    Exchange("bike", "en", "I sold the old Peugeot bike for 150 and bought a cargo bike from Babboe.", "A cargo bike changes how a family shops. Check the recall list for Babboe frames, and grease the chain every three hundred kilometres."),
    Exchange("flat", "en", "We signed for the flat on Ziegelstrasse, fourth floor, no lift.", "Fourth floor without a lift keeps you fit! Book the movers early, measure the stairs for the sofa, and ask the city for a no-parking zone in front of the house."),
    Exchange("running", "en", "Ran ten kilometres in 52 minutes today, my best so far.", "That is a solid time. For a half marathon below two hours I would add one interval session a week: six times eight hundred metres with two minutes of rest."),
    Exchange("chess", "en", "How do I answer the London System as Black?", "Against the London System play an early c5 and Qb6, which attacks b2. I suggested the line with Nh5 against the bishop as well: it wins the pair of bishops."),
    Exchange("guitar", "en", "I've been learning the cello since January, with Mrs. Okafor.", "The cello is a patient instrument. Twenty minutes a day beat two hours on Sunday; open strings first, then the first position, then slow scales."),
    Exchange("garden", "en", "The tomatoes on the balcony have brown spots on the lower leaves.", "Brown spots on the lower leaves are usually early blight. Remove those leaves, water the soil and not the plant, and spray with a decoction of horsetail."),
    Exchange("coffee", "en", "Which grinder should I get for espresso, below 200 euros?", "Below 200 euros the Eureka Manuale is the grinder I would take for espresso; by hand the 1Zpresso J-Max grinds finer still. Blade grinders are out of the question."),
    Exchange("trip", "en", "We're thinking of Slovenia for the holidays, with the train.", "Slovenia by train works well: Ljubljana as a base, the Bohinj line through the mountains, and Piran by bus at the end. In Ljubljana I would stay at Hotel Park, near the dragon bridge."),
    Exchange("phone", "en", "My phone fell into the sink and the speaker crackles.", "Dry it with the speaker facing down for a day, no rice. If it still crackles, the speaker module costs about forty euros at a repair café."),
    Exchange("insurance", "en", "I always pay my insurance yearly, it is cheaper than monthly.", "Paying yearly saves the surcharge of three to five per cent. Compare the policy every November, when the deadlines end."),
    Exchange("cat", "en", "Our cat Miso got a kidney diet from the vet, she hates it.", "Cats change food slowly. Mix a tenth of the kidney diet into the old food, warm it a little, and raise the share every three days."),
    Exchange("python", "en", "Why is my pandas merge giving me twice as many rows?", "A merge doubles rows when the key is not unique on one side. Pass validate='one_to_one' and pandas tells you which side repeats the key."),
    Exchange("sleep", "en", "I sleep badly when I have coffee after two in the afternoon.", "Caffeine has a half-life of five hours. A walk in the morning light, a cool bedroom and no screen in the last hour help more than any tea."),
    Exchange("gift", "en", "What do I give my father for his seventieth? He loves maps.", "For someone who loves maps a facsimile of the Cassini map of his home region, framed, is a gift that lasts. I would order it three weeks ahead."),
    Exchange("choir", "en", "Choir moved to Thursdays, in the school on Lindenweg.", "Thursday evenings are popular with choirs. Warm up on the way there by humming, and bring water: school rooms are dry in winter."),
    Exchange("zh-cat", "zh", "我家的猫叫豆包，今年三岁了。", "三岁的猫正是精力旺盛的时候。建议每天陪它玩二十分钟，准备一个高一点的猫爬架，并且每年体检一次。"),
    Exchange("zh-tea", "zh", "我对虾过敏，点菜的时候请避开。", "好的，我会记住。很多点心里也有虾，比如虾饺和肠粉，点菜之前最好先问一下服务员。"),
    Exchange("zh-book", "zh", "有什么适合晚上看的书？", "晚上适合看节奏慢一点的书。我推荐汪曾祺的《人间草木》，文字清淡，每篇都很短，看完一篇就可以睡觉。"),
    Exchange("zh-move", "zh", "下个月我要搬到青岛去工作。", "青岛靠海，夏天不热，冬天风大。租房可以先看市南区，离海近，交通也方便，但是价格会高一些。"),
    Exchange("zh-run", "zh", "昨天我跑了十五公里，腿很酸。", "跑完之后要拉伸，并且补充水分和蛋白质。第二天可以散步或者骑车，让肌肉慢慢恢复。"),
    Exchange("ja-dog", "ja", "うちの犬の名前はきなこです。柴犬で、四歳です。", "柴犬は運動が好きな犬種です。朝と夕方に三十分ずつ散歩をして、夏は涼しい時間を選ぶとよいでしょう。"),
    Exchange("ja-inn", "ja", "箱根でおすすめの宿はありますか？", "箱根でしたら、仙石原の静かな宿がおすすめです。私なら「すすきの郷」を選びます。露天風呂から高原が見えます。"),
    Exchange("ja-work", "ja", "来月から京都の図書館で働きます。", "おめでとうございます。図書館の仕事は最初に分類を覚えることが大切です。京都は自転車があると通勤が楽になります。"),
    Exchange("ja-food", "ja", "そばアレルギーなので、そばの店は避けてください。", "承知しました。同じ釜でうどんを茹でる店もありますから、注文の前に確認することをおすすめします。"),
    Exchange("ko-dog", "ko", "우리 집 고양이 이름은 보리이고 다섯 살이에요.", "다섯 살 고양이는 체중 관리가 중요합니다. 하루 두 번 나누어 먹이고, 높은 곳을 만들어 주면 좋습니다."),
    Exchange("ko-cafe", "ko", "전주에서 갈 만한 카페를 알려 줘.", "전주라면 한옥마을 뒤쪽의 조용한 카페가 좋습니다. 저는 행원이라는 곳을 추천합니다. 마당에서 차를 마실 수 있습니다."),
    Exchange("ko-work", "ko", "저는 삼월부터 부산 시립미술관에서 일해요.", "축하합니다. 미술관 일은 전시 일정이 중심이 됩니다. 처음 몇 주는 소장품 목록을 읽어 보는 것이 도움이 됩니다."),
    Exchange("ko-food", "ko", "저는 땅콩을 못 먹어요. 앞으로 빼 주세요.", "알겠습니다. 소스와 과자에도 들어 있는 경우가 많으니 성분표를 꼭 확인하시는 것이 좋습니다."),
)  # fmt: skip

QUESTIONS = (
    ("How much did my hiking boots cost?", "boots/user"),
    ("What did I study?", "degree/user"),
    ("Where did I get my degree?", "degree/user"),
    ("Which hiking boots did you recommend for the next pair?", "boots/reply"),
    ("What was the Spanish name of the stew you suggested?", "pasta/reply"),
    ("Can you suggest a cake for Sunday that I can eat?", "allergy/user"),
    ("How do I like my answers?", "format/user"),
    ("When do I start my new job?", "job/user"),
    ("Where does my sister come from?", "sister/user"),
    ("Which novel set in Newfoundland did you tell me about?", "novel/reply"),
    ("What did I pay at the dentist?", "dentist/user"),
    ("Which bike did I sell, and for how much?", "bike/user"),
    ("On which floor is our new flat?", "flat/user"),
    ("What is my best time over ten kilometres?", "running/user"),
    ("What intervals did you give me for the half marathon?", "running/reply"),
    ("Which move did you suggest against b2 in the London System?", "chess/reply"),
    ("Who teaches me the cello?", "guitar/user"),
    ("What was wrong with my tomatoes?", "garden/user"),
    ("What did you say the brown spots are?", "garden/reply"),
    ("Which grinder did you name for espresso?", "coffee/reply"),
    ("Where do we want to go on holiday?", "trip/user"),
    ("Which hotel did you mention in Ljubljana?", "trip/reply"),
    ("What happened to my phone?", "phone/user"),
    ("How do I pay my insurance?", "insurance/user"),
    ("What is my cat called?", "cat/user"),
    ("What makes me sleep badly?", "sleep/user"),
    ("Which option of pandas did you tell me to use?", "python/reply"),
    ("What did you recommend for my father's birthday?", "gift/reply"),
    ("On which day do I sing?", "choir/user"),
    ("Where is my choir now?", "choir/user"),
    ("我的猫叫什么名字？", "zh-cat/user"),
    ("我不能吃什么？", "zh-tea/user"),
    ("你推荐过哪本书？", "zh-book/reply"),
    ("我要去哪个城市？", "zh-move/user"),
    ("我跑了多远？", "zh-run/user"),
    ("私の犬は何という名前ですか？", "ja-dog/user"),
    ("箱根でどの宿を勧めてくれましたか？", "ja-inn/reply"),
    ("私はどこで働きますか？", "ja-work/user"),
    ("私は何のアレルギーですか？", "ja-food/user"),
    ("내 고양이는 몇 살이야?", "ko-dog/user"),
    ("전주에서 어느 카페를 추천해 줬어?", "ko-cafe/reply"),
    ("나는 어디에서 일해?", "ko-work/user"),
    ("제가 못 먹는 게 뭐예요?", "ko-food/user"),
)

_SUBJECTS = {
    "en": "hiking boots;a degree;a stew;allergies;short answers;a new job;a visit of the family;a novel;the dentist;a bike;a flat;a half marathon;a chess opening;an instrument;tomatoes;an espresso grinder;a train journey;a hotel;a phone;an insurance;a cat;a table in pandas;sleep;a birthday present;a choir",
    "zh": "猫;过敏;一本书;搬家;跑步;名字;城市;工作",
    "ja": "犬;宿;図書館の仕事;アレルギー;名前;京都;散歩",
    "ko": "고양이;카페;미술관 일;알레르기;이름;부산;나이",
}
_ASKED = {
    "en": (
        "What should people know about {}?",
        "How does one choose {}, and what does it cost?",
        "Tell me a story about {}.",
        "I wonder what my neighbour thinks of {}.",
        "Did you know that my colleague talks about {} all day?",
        "Is {} something for the weekend?",
    ),
    "zh": ("关于{}，大家一般怎么想？", "我的同事整天说{}。", "{}要花多少钱？"),
    "ja": ("{}について、みんなはどう思いますか？", "同僚がいつも{}の話をします。", "{}はいくらぐらいかかりますか？"),
    "ko": ("{}에 대해 사람들은 어떻게 생각해?", "동료가 하루 종일 {} 얘기를 해.", "{}는 얼마나 들어?"),
}
_TOLD = {
    "en": "About {0} people say many things: which name is the best, what it should cost, when to start, where to go, and what to do when something is wrong with {0}. I recommend to think of {1} as well, since {1} and {0} often come together, and to ask whoever knows both.",
    "zh": "关于{0}，大家的说法很多：叫什么名字好，多少钱合适，什么时候开始，去哪里，出了问题怎么办。我推荐同时考虑{1}。",
    "ja": "{0}については、どの名前がよいか、いくらかかるか、いつ始めるか、どこへ行くか、いろいろな意見があります。{1}も一緒に考えることをおすすめします。",
    "ko": "{0}에 대해서는 어떤 이름이 좋은지, 얼마가 드는지, 언제 시작하는지, 어디로 가는지 여러 의견이 있습니다. {1}도 함께 생각해 보기를 추천합니다.",
}


def fillers() -> tuple[Exchange, ...]:
    """Return exchanges that have the words of the questions and no answer."""
    found = []
    for language, listed in _SUBJECTS.items():
        subjects = listed.split(";")
        for number, asked in enumerate(_ASKED[language]):
            for place, subject in enumerate(subjects):
                other = subjects[(place + number + 1) % len(subjects)]
                told = _TOLD[language].format(subject, other)
                found.append(Exchange(f"filler-{len(found)}", language, asked.format(subject), told))
    return tuple(found)


_PADDING = {
    "en": (
        "That is a good question, and there are a few things to keep in mind before you decide what to do.",
        "First, take your time: most of what people regret was done in a hurry, at work as much as at home.",
        "Second, write down what it costs, what you want to get out of it, and whom you could ask for help.",
        "Many people find that a small step on the first day is worth more than a large plan for the whole month.",
        "It also depends on the weather, on your budget and on how much you enjoy doing it with your family or friends.",
        "If something about it changes, tell me, and I will adapt the list, the recipe or the plan to it.",
        "Keep the receipts, compare at least two offers, and read what others say about the place or the name you chose.",
        "Would you like me to go through the details step by step?",
    ),
    "zh": ("这是一个很好的问题，做决定之前可以先想一想自己的时间和预算。", "很多人觉得先走一小步比做一个大计划更有用。", "如果情况有变化，请告诉我，我会重新整理一份清单。", "需要我一步一步地说明吗？"),
    "ja": ("とても良い質問ですね。決める前に、時間と予算を考えておくとよいでしょう。", "大きな計画よりも、最初の小さな一歩のほうが役に立つことが多いです。", "何か変わったら教えてください。内容をもう一度まとめます。", "順番に詳しく説明しましょうか？"),
    "ko": ("좋은 질문입니다. 결정하기 전에 시간과 예산을 먼저 생각해 보세요.", "큰 계획보다 작은 첫걸음이 더 도움이 되는 경우가 많습니다.", "상황이 바뀌면 알려 주세요. 목록을 다시 정리해 드리겠습니다.", "하나씩 자세히 설명해 드릴까요?"),
}  # fmt: skip


def long_reply(number: int, exchange: Exchange) -> str:
    """Put the reply in the middle of stock sentences, which come in another order each time."""
    padding = _PADDING[exchange.language]
    turned = [padding[(number + place) % len(padding)] for place in range(len(padding))]
    half = len(turned) // 2
    return " ".join([*turned[:half], exchange.reply, *turned[half:]])
