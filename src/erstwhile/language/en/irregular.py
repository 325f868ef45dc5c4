"""English words whose forms no stemmer brings together: someone asks where she *went* to eat what he *bought*, or *go*, or *buy*."""

from __future__ import annotations

from typing import Final

_FORMS: Final = """
become became; begin began begun; bend bent; bite bit bitten; bleed bled; blow blew blown; break broke broken; breed bred; bring brought;
build built; burn burnt; buy bought; catch caught; choose chose chosen; come came; creep crept; deal dealt; dig dug; draw drew drawn;
dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought; find found;
flee fled; fly flew flown; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get got gotten; give gave given;
go went gone; grow grew grown; hang hung; hear heard; hide hid hidden; hold held; keep kept; kneel knelt; know knew known; lead led;
lean leant; leap leapt; learn learnt; leave left; lend lent; light lit; lose lost; make made; mean meant; meet met; overcome overcame;
pay paid; ride rode ridden; ring rang rung; rise rose risen; run ran; say said; see saw seen; seek sought; sell sold; send sent;
sew sewn; shake shook shaken; shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung; sink sank sunk; sit sat;
sleep slept; slide slid; smell smelt; speak spoke spoken; speed sped; spell spelt; spend spent; spill spilt; spin spun; spoil spoilt;
spring sprang sprung; stand stood; steal stole stolen; stick stuck; sting stung; strike struck; swear swore sworn; sweep swept;
swell swollen; swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell told; think thought; throw threw thrown;
understand understood; undertake undertook; wake woke woken; wear wore worn; weave wove woven; weep wept; win won; wind wound;
withdraw withdrew withdrawn; write wrote written;
child children; foot feet; goose geese; half halves; knife knives; leaf leaves; man men; mouse mice; person people; shelf shelves; tooth
teeth; wife wives; wolf wolves; woman women
"""

IRREGULAR: Final = {
    form: base for base, *forms in (group.split() for group in _FORMS.replace("\n", " ").split(";")) for form in forms
}
