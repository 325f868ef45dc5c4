"""Spanish words of the sections of a profile."""

from typing import Final

SECTIONS: Final = {
    "opinions": "opina|cree|prefiere",
    "relationships": (
        "hermanas?|hermanos?|madre|padre|padres|esposa|esposo|marido|novi[oa]|amig[oa]s?|hij[oa]s?"
        "|perr[oa]|gat[oa]|casad[oa]"
    ),
    "skills": "sabe|habla|domina|toca|programa",
    "interests": "gusta|encanta|interesa|aficionad[oa]",
    "bio": "vive|trabaja|nació|años|estudia|es de",
}
