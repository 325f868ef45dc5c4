"""Phrases that WhatsApp writes itself: omitted files, deleted and edited messages."""

from __future__ import annotations

import re
from typing import Final

from erstwhile.base.records import dataclass
from erstwhile.importers.fields import file


def _phrases(listed: str) -> list[str]:
    return [each.strip() for line in listed.strip().splitlines() for each in line.split(" | ")]


MARKS: Final = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
_OWN: Final = "\u200e"  # an iPhone writes this before its own phrases

_MEDIA: Final = frozenset(
    _phrases(
        """
        media omitted | medien ausgeschlossen | medien weggelassen | multimedia omitido
        archivo omitido | médias omis | fichier omis | média omis | mídia oculta
        arquivo de mídia oculto | mídia omitida | ficheiro não revelado | media omessi
        media omesso | media weggelaten | без медиафайлов | файл пропущен | медіа пропущено
        без медіафайлів | medya dahil edilmedi | pominięto multimedia | pominięte multimedia
        média vynechány | média vynechané | média vynechána | media utelämnat | media har utelämnats
        media utelatt | medier udeladt | mediefil udeladt | media jätettiin pois | media poistettu
        hiányzó médiafájl | média kihagyva | conținut media omis | fișiere media omise
        τα μέσα παραλείφθηκαν | media tidak disertakan | media dihapus | media disingkirkan
        đã bỏ qua file phương tiện | ละเว้นสื่อ | मीडिया के बिना | मीडिया छोड़ा गया
        মিডিয়া বাদ দেওয়া হয়েছে | تم استبعاد الوسائط | تم تضمين الوسائط | رسانه حذف شد | پیوست نما
        המדיה לא נכללה | מדיה הושמטה | メディアは含まれていません | メディアなし | 미디어 파일 제외됨 | 미디어를 제외함 | 省略多媒体文件
        媒体文件已省略 | 省略多媒體檔 | 略過多媒體檔
        """
    )
)
_DELETED: Final = frozenset(
    _phrases(
        """
        this message was deleted | you deleted this message | this message was deleted by admin
        diese nachricht wurde gelöscht | du hast diese nachricht gelöscht | se eliminó este mensaje
        este mensaje fue eliminado | eliminaste este mensaje | ce message a été supprimé
        vous avez supprimé ce message | mensagem apagada | esta mensagem foi apagada
        você apagou esta mensagem | apagou esta mensagem | questo messaggio è stato eliminato
        hai eliminato questo messaggio | dit bericht is verwijderd | dit bericht werd verwijderd
        je hebt dit bericht verwijderd | u hebt dit bericht verwijderd | данное сообщение удалено
        сообщение удалено | вы удалили данное сообщение | bu mesaj silindi | bu mesajı sildiniz
        usunięto tę wiadomość | ta wiadomość została usunięta | tämä viesti poistettiin
        poistit tämän viestin | det här meddelandet raderades | du raderade det här meddelandet
        pesan ini telah dihapus | anda telah menghapus pesan ini | यह मैसेज हटाया गया
        आपने यह मैसेज हटाया | تم حذف هذه الرسالة | حذفت هذه الرسالة | このメッセージは削除されました | 삭제된 메시지입니다
        此消息已删除 | 此訊息已刪除 | 你删除了此消息 | 您刪除了此訊息
        """
    )
)
_EDITED: Final = tuple(
    _phrases(
        """
        this message was edited | diese nachricht wurde bearbeitet | se editó este mensaje
        ce message a été modifié | mensagem editada | esta mensagem foi editada
        questo messaggio è stato modificato | dit bericht is bewerkt | dit bericht is gewijzigd
        сообщение изменено | данное сообщение изменено | bu mesaj düzenlendi | wiadomość edytowana
        viestiä muokattiin | pesan ini diedit | تم تعديل هذه الرسالة | 此消息已编辑 | 此訊息已編輯
        """
    )
)
_AT_THE_END = re.compile(r"(\u200e?)<([^<>\n]{4,60})>\Z")
_ATTACHED = re.compile(
    r"\A([^\n<>/\\]{1,200}\.\w{1,8}) \(([^()\n]{3,40})\)(?:\n|\Z)"
)  # Android: IMG-1.jpg (file attached)
_IN_ANGLES = re.compile(r"\A<[^<>:\n]{2,30}: ?([^<>\n]{1,200})>(?:\n|\Z)")  # iPhone: <attached: …>
_OMITTED = re.compile(r"\A<([^<>\n]{3,60})>(?:\n|\Z)")
_DOCUMENT = re.compile(
    r"\A([^\n]{1,200}\.\w{1,8}) • "
)  # iPhone, a document left out: plan.pdf • 2 pages ‎document omitted
_SAVED = re.compile(r"\A(?:IMG|VID|AUD|PTT|STK|DOC|\w{1,4})-\d{8}-WA\d{4}\.\w{2,5}\Z")


@dataclass(frozen=True, slots=True)
class ChatText:
    """What is kept of a message. `same` does not depend on how files were exported and goes into
    the key. `left`: why nothing is kept."""

    text: str = ""
    same: str = ""
    edited: bool = False
    left: str = ""


def read(text: str, *, iphone: bool) -> ChatText:
    own = iphone and text.startswith(_OWN)
    text = text.strip(MARKS + " \n")
    text, edited = _without_edited(text)
    whole = text.strip(MARKS + " \n")
    if _plain(whole) in _DELETED:
        return ChatText(left="deleted messages")
    media, rest = _media(whole, own)
    if media:
        rest = rest.strip(MARKS + " \n")
        return ChatText("\n".join(filter(None, (media, rest))), "\n".join(filter(None, ("[media]", rest))), edited)
    if own and "\n" not in whole and "http" not in whole:  # a poll has lines, a place an address
        return ChatText(left="messages of WhatsApp itself")
    if not whole:
        return ChatText(left="messages without words")
    return ChatText(whole, whole, edited)


def _plain(text: str) -> str:
    return text.strip(MARKS + " .。").casefold()


def _without_edited(text: str) -> tuple[str, bool]:
    found = _AT_THE_END.search(text)
    if found and (found[1] or _plain(found[2]) in _EDITED) and _plain(found[2]) not in _MEDIA:
        before = text[: found.start()].rstrip(" \n")
        return (before, True) if before else (text, False)
    return text, False


def _media(text: str, own: bool) -> tuple[str, str]:
    """Return a label for the attachment, and the text sent with it."""
    attached = _ATTACHED.match(text)
    if attached and (own or _SAVED.match(attached[1].strip(MARKS)) or _plain(attached[2]) == "file attached"):
        return file(attached[1].strip(MARKS)), text[attached.end() :]
    named = _IN_ANGLES.match(text) if own else None
    if named:
        return file(named[1].strip(MARKS)), text[named.end() :]
    omitted = _OMITTED.match(text)
    if omitted and _plain(omitted[1]) in _MEDIA:
        return "[media]", text[omitted.end() :]
    document = _DOCUMENT.match(text)
    if document and _OWN in text:
        return file(document[1]), ""
    if own and "\n" not in text and len(text.split()) <= 4 and _plain(text) not in _DELETED and _is_left_out(text):
        return "[media]", ""
    return "", text


_LEFT_OUT: Final = tuple(
    _phrases(
        """
        omitted | weggelassen | omitid | omis | absente | retiré | ocultad | ocult | omess
        weggelaten | пропущен | dahil edilmedi | pominięt | utelämnad | poistettu | jätetty pois
        udeladt | utelatt | tidak disertakan | 省略 | 생략 | 제외 | 含まれていません | छोड़ | استبعاد | הושמט
        """
    )
)


def _is_left_out(text: str) -> bool:
    """Whether a file was omitted. An iPhone names its kind: "image omitted", "Bild weggelassen"."""
    shown = text.casefold()
    return any(word in shown for word in _LEFT_OUT)
