"""Chinese words of the sections of a profile."""

from typing import Final

SECTIONS: Final = {
    "opinions": "认为|認為|觉得|覺得|相信|更喜欢|偏好",
    "skills": "会(?!议|員|员)|會(?!議)|擅长|擅長|精通|能说",
    "bio": "岁|歲|职业|職業|工作|毕业|畢業|学生|學生",
}
