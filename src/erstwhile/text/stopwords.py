"""Small stop lists: what a query can do without, and how the language of a Latin-script text is told.

Apostrophes are gone by the time these lists are asked (`don't` is `dont`, `what's` is `what`).
"""

from __future__ import annotations

from typing import Final

_LISTS: Final[dict[str, str]] = {
    "en": """
        a about after again all also am an and any are arent as at be because been before being both but by can cant
        cannot could couldnt did didnt do does doesnt doing dont done down during each else ever few for from
        further get got had hadnt has hasnt have havent having he her here hers herself him himself his how i if in
        into is isnt it its itself just let me more most my myself no nor not now of off on once only or other our
        ours ourselves out over own please really same she should shouldnt so some such tell than that the their
        theirs them themselves then there these they this those through to too under until up us very was wasnt we
        were werent what when where which while who whom whose why will with wont would wouldnt yet you your yours
        yourself yourselves""",
    "de": """
        aber alle als auch auf aus bei bin bis bist da dann das dass dein dem den der des dich die dir doch du durch
        ein eine einem einen einer eines er es euch für gibt hab habe haben hast hat hatte hier ich ihm ihn ihr ihre
        im ist ja kann kein keine können mal man mein meine mich mir mit muss nach nicht noch nur ob oder schon sein
        seine sich sie sind so um und uns unser vom von vor wann warum was weil welche wenn wer werde werden wie wir
        wird wo wohl wurde zu zum zur über""",
    "fr": """
        ai ainsi alors as au aussi aux avec avez avons beaucoup bien ce cela ces cet cette chez comme comment dans
        de des donc dont du elle elles en encore est et été être eu fait il ils je jour la le les leur leurs lui ma
        mais mes moi mon ne nos notre nous on ont ou où par parce pas peu plus pour pourquoi qu quand que quel
        quelle qui quoi sa sans ses si son sont suis sur ta te tes toi ton tous tout très tu un une va vais votre
        vous y à ça""",
    "es": """
        a al algo ahora ante como con cuando cuándo cuál de del desde donde dónde e el ella ellas ellos en entre era
        es esa ese eso esta estaba estamos estar este esto estoy está están fue ha han hasta hay he la las le les lo
        los me mi mis mucho muy más nada ni no nos nosotros o para pero por porque que quien quién qué se ser si sin
        sobre somos son soy su sus sí también te tengo tiene todo todos tu tus un una unos uno va voy y ya yo él
        cómo""",
    "it": """
        a ad ai al alla alle anche ancora che chi ci come con cosa così da dal dalla dei del della delle di dove e
        ed era gli ha hai hanno ho i il in io la le lei lo loro lui ma me mi mia mio molto nel nella no noi non o
        per perché perchè più poi qual quale quando quanto quello questa questo se sei si sia sono sta sto su sua
        sui suo sul sulla ti tra tu tutti tutto un una uno va vi voi è""",
    "pt": """
        a ainda ao aos as até bem com como da das de dela dele depois do dos e ela eles em entre era essa esse esta
        estamos estava este estou está eu foi há isso isto já lhe mais mas me meu meus minha muito na nas nem no nos
        nossa nosso não nós o onde os ou para pela pelo por porque quais qual quando que quem se sem ser seu seus
        sim só sou sua são também te tem tenho ter tudo um uma vai você vou à às é""",
    "nl": """
        aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een en er ge geen
        geweest haar had heb hebben heeft hem het hier hij hoe hun iets ik in is ja je jij kan kon kunnen maar me
        meer men met mij mijn moet na naar niet niets nog nu of om omdat onder ons ook op over te tegen toch toen
        tot u uit uw van veel voor waar waren was wat we wel werd wie wil worden wordt zal ze zei zelf zich zij zijn
        zo zonder zou""",
    "sv": """
        alla att av blev blir där de dem den deras dess det detta dig din du då efter ej eller en er ett från för ha
        hade han hans har hon honom hur här i icke ingen inom inte jag ju kan kunde man med mellan men mig min mitt
        mot mycket ni nu när någon och om oss på samma sedan sig sin sitt skulle som så till under upp ut utan vad
        var vara varför vem vi vid vilken är över""",
    "da": """
        af alle at blev bliver da de dem den deres det dette dig din du efter eller en end er et for fra få gå ham
        han hans har havde hende her hos hun hvad hvem hvis hvor hvordan hvorfor i ikke ind jeg jo kan kunne man
        mange med meget men mig min mit mod ned noget nogle nu når og også om op os over på sin skal skulle som til
        ud under var vi vil ville være været""",
    "no": """
        alle at av ble blir da de deg dem den denne der det dette din du eller en enn er et etter for fra ha hadde
        han hans har hennes her hun hva hvem hvis hvor hvordan hvorfor i ikke ingen inn jeg kan kunne man med meg
        men mer min mitt mot mye noe noen nå når og også om opp oss over på seg sin skal som så til ut var vi vil
        være""",
    "fi": """
        ei eivät ehkä emme en että hän he ja jo jos joka jotka kanssa kuin kun kuka koska me mikä minä minun minua
        miten missä mitä mutta myös ne niin nyt oli olen olemme olet olin on ovat se sen siellä sinä sitten sitä tai
        tämä tässä te vain vielä voi""",
    "tr": """
        acaba ama ancak bana bazı belki ben beni benim bir biraz biz bu buna bunu burada çok çünkü da daha de değil
        diye en gibi hem hep her hiç için ile ise kadar ki kim mi mı mu mü nasıl ne neden nerede o olan olarak oldu
        olduğu onu onun sana sen senin şey şu var ve veya ya yani yok zaten""",
    "pl": """
        ale bardzo bo być był była było czy dla do gdy gdzie go ich ja jak jako jego jej jest jestem jeszcze już
        kiedy kto który która mam mi mnie mogę może na nad nie nim o od on ona oni po pod przez się są ta tak tam te
        tego ten to tu ty tylko w we więc wszystko z za ze że""",
    "ro": """
        acest acum al ale am ar are aș ca când care cât ce cel cine cu cum da dacă dar de din după ea ei el este eu
        fi fost în îl îmi la le lui mai mea meu mi mult nu o pe pentru prin sa să se și sunt te tot un una unde va
        vă""",
    "hu": """
        a az aki akkor amely ami azt be csak de egy egyik el én ez ezt fel ha hogy hol igen is itt ki kell le lesz
        már meg mert mi miért mikor mint most nagyon ne nekem nem ő ott pedig s sem te úgy van vagy vagyok volt""",
    "id": """
        ada adalah aku akan apa atau bagaimana bahwa banyak bisa bukan dan dari dengan di dia dua harus ini itu jadi
        juga kalau kami kamu karena kapan kata ke kita lagi lebih mana masih mereka mengapa nya oleh orang pada saja
        sangat saya sekarang semua siapa sudah tapi telah tetapi tidak untuk yang""",
}

STOPWORDS: Final[dict[str, frozenset[str]]] = {language: frozenset(words.split()) for language, words in _LISTS.items()}

ENGLISH: Final = STOPWORDS["en"]


def _voters() -> dict[str, tuple[str, ...]]:
    """Stop word → languages it speaks for. A word that is also English ("was", "in", "me") speaks for English alone."""
    voters: dict[str, tuple[str, ...]] = {}
    for language, words in _LISTS.items():
        for word in words.split():
            if language == "en" or word not in ENGLISH:
                voters[word] = (*voters.get(word, ()), language)
    return voters


VOTERS: Final = _voters()

# Question words and polite endings of languages that are indexed as bigrams: taken out of a query before it is cut up.
# Hangul ones only as whole words, for many of them also stand inside other words.
CJK_QUESTION: Final = (
    "为什么|為什麼|什么时候|什麼時候|什么|什麼|怎么样|怎麼樣|怎么|怎麼|哪里|哪裡|哪儿|哪些|哪个|多少|几点|是谁|谁|誰|吗|嗎|呢"
    "|いつ|どこ|だれ|なぜ|何を|何が|なに|ですか|ますか|でしたか|ましたか"
    "|(?<![가-힣])(?:누가|누구(?:야|지|의|를|랑|와|예요|인가요)?|무엇(?:을|이|인가요)?|무슨|뭐(?:를|가|야|지|예요)?|뭘|언제(?:야|지|부터)?"
    "|어디(?:서|에|로|에서|야|지|예요)?|어떻게|어떤|어느|왜|얼마나?|몇|있어|있나요|했어|했지|했나요|인가요|나요)(?![가-힣])"
)
