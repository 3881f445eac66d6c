"""What a few typed words can only mean. Anything else is unclear, and unclear never changes a visit."""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum
from itertools import dropwhile, groupby


class Meaning(StrEnum):
    """FIRST to THIRD: a bare number, the place of a button in the question it answers."""

    YES = "yes"
    NO = "no"
    CHANGE = "change"
    CANCEL = "cancel"
    FIRST = "first"
    SECOND = "second"
    THIRD = "third"
    THANKS = "thanks"
    WRONG_NUMBER = "wrong_number"
    UNCLEAR = "unclear"


# Whole messages in Spanish, Portuguese and English; "_" is a space. Several of _YES_WORDS may stand together.
_YES_WORDS = (
    "si sip sim s yes yeah yep yup y ok oka okay okey oki k vale dale confirmo confirmado confirmada confirmados confirmadas"
    " confirmar confirm confirmed isso claro sure perfecto perfeito perfect beleza 👍 👌 ✅ ✔ ☑"
)
PHRASES = {
    Meaning.YES: (
        "de_acuerdo por_supuesto claro_que_si si_voy si_vamos si_ire si_iremos ahi_estare ahi_estaremos alli_estare"
        " alli_estaremos alla_estare si_puedo si_podemos si_asistire asistire asistiremos confirmo_todas confirmo_todo"
        " confirmo_la_cita confirmo_mi_cita confirmo_las_citas confirmo_asistencia confirmo_mi_asistencia"
        " si_a_todas si_todas si_todos todas si_los_dos si_las_dos"
        " com_certeza claro_que_sim sim_vou sim_vamos sim_irei estarei_la estaremos_la sim_posso esta_confirmado"
        " confirmo_a_consulta confirmo_presenca confirmo_a_presenca confirmo_minha_presenca pode_confirmar"
        " of_course i_will_be_there ill_be_there well_be_there we_will_be_there see_you_there i_can_come"
        " yes_i_can yes_we_can yes_i_will yes_we_will yes_to_all confirm_all i_confirm we_confirm yes_please"
    ),
    Meaning.NO: (
        "no nop nope nao n no_puedo no_puedo_ir no_puedo_asistir no_podemos no_podemos_ir no_voy no_voy_a_poder"
        " no_voy_a_poder_ir no_podre no_podre_ir no_podremos no_ire no_asistire no_vamos_a_poder me_es_imposible"
        " no_gracias cant i_cant we_cant cannot i_cannot i_cant_come i_cant_make_it we_cant_make_it cant_make_it"
        " cant_come i_wont_be_there i_am_not_coming im_not_coming not_coming"
        " nao_posso nao_posso_ir nao_vou nao_vou_poder nao_vou_poder_ir nao_podemos nao_poderei nao_irei"
        " nao_vai_dar nao_consigo nao_consigo_ir 👎 ❌"
    ),
    Meaning.CHANGE: (
        "cambiar cambio cambiarla cambiarlo reprogramar reprogramarla reagendar mover moverla change reschedule move_it"
        " remarcar reagendar trocar mudar quiero_cambiar quiero_cambiarla quisiera_cambiarla quiero_cambiar_la_cita"
        " cambiar_cita cambiar_la_cita cambiar_mi_cita cambiar_la_hora cambiar_de_hora change_it i_want_to_change_it"
        " change_my_appointment reschedule_it id_like_to_reschedule i_want_to_reschedule quero_remarcar gostaria_de_remarcar"
        " remarcar_a_consulta otra_hora otro_dia another_time another_day outro_horario outro_dia outra_hora"
    ),
    Meaning.CANCEL: (
        "cancelar cancela cancele cancelen cancel cancelo cancelarla cancelarlo cancelala anular anularla anulo"
        " desmarcar cancelar_cita cancelar_la_cita cancelar_mi_cita quiero_cancelar quiero_cancelar_la_cita"
        " quiero_cancelarla anular_la_cita anular_cita cancel_it i_want_to_cancel cancel_my_appointment"
        " cancel_the_appointment id_like_to_cancel quero_cancelar cancelar_consulta cancelar_a_consulta"
        " gostaria_de_cancelar pode_cancelar"
    ),
    Meaning.FIRST: "1 opcion_1 option_1 opcao_1",
    Meaning.SECOND: "2 opcion_2 option_2 opcao_2",
    Meaning.THIRD: "3 opcion_3 option_3 opcao_3",
    Meaning.WRONG_NUMBER: (
        "numero_equivocado numero_incorrecto numero_erroneo es_un_numero_equivocado este_numero_no_es este_no_es_el_numero"
        " equivocado equivocada se_equivoca se_ha_equivocado se_equivoco te_equivocas te_has_equivocado"
        " se_equivoca_de_numero se_ha_equivocado_de_numero te_equivocas_de_numero te_has_equivocado_de_numero"
        " se_equivoco_de_numero se_equivocaron_de_numero se_han_equivocado_de_numero persona_equivocada"
        " se_equivoca_de_persona no_soy_esa_persona no_soy_yo_esa_persona"
        " wrong_number wrong_person wrong_phone you_have_the_wrong_number you_got_the_wrong_number"
        " this_is_the_wrong_number i_think_you_have_the_wrong_number not_me_wrong_number"
        " numero_errado numero_incorreto pessoa_errada e_engano foi_engano engano voce_errou_o_numero"
        " este_numero_esta_errado voce_ligou_errado nao_sou_essa_pessoa nao_sou_esta_pessoa"
    ),
}
# Said around anything, they change nothing of it; alone they are thanks or a greeting.
_THANKS = (
    "gracias muchas_gracias mil_gracias muchisimas_gracias gracias_a_ustedes gracias_por_avisar gracias_por_el_aviso"
    " thanks thank_you thank_you_very_much many_thanks thx ty thanks_a_lot"
    " obrigado obrigada muito_obrigado muito_obrigada obg valeu 🙏 😊 🙂 😀 ❤"
)
_COURTESY = (
    "hola buenas buenos_dias buenas_tardes buenas_noches un_saludo saludos por_favor perdon disculpe disculpa lo_siento"
    " hello hi good_morning good_afternoon good_evening please sorry im_sorry regards"
    " ola oi bom_dia boa_tarde boa_noite por_favor desculpe desculpa"
)

_EMOJI = re.compile("([👍👌✅✔☑👎❌🙏😊🙂😀❤])")
_SKIN_AND_SHAPE = re.compile("[\U0001f3fb-\U0001f3ff\ufe0e\ufe0f\u20e3\u200d]")
_PAUSES = re.compile(r"[.,;:!¡…\"“”«»()\-–—]+")
_LETTERS_APART = re.compile(r"['’`´]")


def meaning_of(text: str) -> Meaning:
    """Whole messages only; case, accents, drawn-out letters, punctuation and thanks around it are ignored.

    "Sí!!", "siii, gracias" and "👍🏽" are a yes; "no, sí voy", "ok pero más tarde" and whatever asks something are unclear.
    """
    if "?" in text:
        return Meaning.UNCLEAR
    words = _plain(text)
    core = _without_courtesies(words)
    if not core:
        thanked = any(phrase in _THANKED for phrase in (*words, " ".join(words)))
        return Meaning.THANKS if thanked else Meaning.UNCLEAR
    known = _MEANINGS.get(" ".join(core)) or _MEANINGS.get(" ".join(words))
    return known or (Meaning.YES if _is_yes_upon_yes(core) else Meaning.UNCLEAR)


def _is_yes_upon_yes(words: list[str]) -> bool:
    """ "Sí, ok, confirmo", and "sí, allí estaré"."""
    rest = " ".join(dropwhile(lambda word: word in _YES_ALONE, words))
    return not rest or _MEANINGS.get(rest) == Meaning.YES


def _plain(text: str) -> list[str]:
    """Its words, each emoji one of them, the same emoji in a row once."""
    bare = _SKIN_AND_SHAPE.sub("", unicodedata.normalize("NFKD", _LETTERS_APART.sub("", text)))
    letters = "".join(char for char in bare if not unicodedata.combining(char)).casefold()
    words = _EMOJI.sub(r" \1 ", _PAUSES.sub(" ", letters)).split()
    return [word for word, _again in groupby(map(_squeezed, words))]


def _squeezed(word: str) -> str:
    """A letter drawn out counts once ("siii", "noo"); a number stays what it is."""
    return word if word.isdecimal() else "".join(char for char, _again in groupby(word))


def _without_courtesies(words: list[str]) -> list[str]:
    """What is left between greetings before and thanks after, the longest first."""
    kept = list(words)
    while (count := _courtesy_at(kept)) > 0:
        kept = kept[count:]
    while (count := _courtesy_at(kept[::-1], backwards=True)) > 0:
        kept = kept[: len(kept) - count]
    return kept


def _courtesy_at(words: list[str], *, backwards: bool = False) -> int:
    """How many words the courtesy takes that these begin with; 0 where there is none."""
    for count in range(min(len(words), _LONGEST), 0, -1):
        phrase = words[:count][::-1] if backwards else words[:count]
        if " ".join(phrase) in _COURTEOUS:
            return count
    return 0


def _phrases(words: str) -> frozenset[str]:
    return frozenset(" ".join(_squeezed(part) for part in phrase.split("_")) for phrase in words.split())


_YES_ALONE = _phrases(_YES_WORDS)
_MEANINGS = {phrase: meaning for meaning, words in PHRASES.items() for phrase in _phrases(words)}
_THANKED = _phrases(_THANKS)
_COURTEOUS = _THANKED | _phrases(_COURTESY)
_LONGEST = max(len(phrase.split()) for phrase in _COURTEOUS)
