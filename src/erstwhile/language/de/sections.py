"""German words of the sections of a profile."""

from typing import Final

SECTIONS: Final = {
    "opinions": "meint|findet|glaubt|bevorzugt|hält .{1,30} für",
    "relationships": (
        "schwester|bruder|mutter|vater|eltern|frau|mann|freund(?:in)?|tochter|sohn|hund|katze|verheiratet"
    ),
    "skills": "kann|spricht|beherrscht|spielt|programmiert",
    "interests": "mag|liebt|interessiert|hobbys?|begeistert|sammelt",
    "bio": "lebt|wohnt|arbeitet|kommt aus|geboren|jahre alt|studiert",
}
