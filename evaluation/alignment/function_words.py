"""Frequent grammatical words of four letters and more, which have not *moved* when they occur elsewhere.

Shorter words never count as moved on their own, so they need no list. The lists are short on purpose:
articles, pronouns, auxiliaries, prepositions and conjunctions of the languages that evaluation campaigns
use most. A word of one language that is a content word of another costs little: it still moves together with
its neighbours.
"""

from __future__ import annotations

from evaluation.tokens import is_punctuation

_LISTS = {
    "en": """
        about after against also although among another because been before being between both cannot could
        does doing done down during each even from further have having here hers herself himself however
        into itself just many more most much must myself never only other others over same shall should
        since some still such than that their theirs them themselves then there therefore these they this
        those though through thus under until upon very well were what when where whether which while whom
        whose will with within without would your yours yourself
    """,
    "de": """
        aber alle allem allen aller alles also andere anderen anderer auch beim bereits bevor dabei dadurch
        dafür dagegen daher damit danach dann daran darauf daraus darf darin darum darüber dass davon dazu
        dein deine deinem deinen deiner denen denn deren derer deshalb dessen dies diese diesem diesen
        dieser dieses doch dort durch durfte eben ebenso eine einem einen einer eines einige einigen einiger
        etwa etwas euch euer eure falls fast gegen gewesen habe haben hatte hatten hier hinter ihnen ihre
        ihrem ihren ihrer immer indem jede jedem jeden jeder jedes jedoch jene jenem jenen jener jetzt kann
        kein keine keinem keinen keiner konnte konnten können könnte könnten machen mehr mein meine meinem
        meinen meiner muss musste mussten müssen nach nachdem nicht nichts noch oder ohne sehr sein seine
        seinem seinen seiner seit selbst sich sind sogar solche solchem solchen solcher soll sollen sollte
        sollten sondern sonst soweit sowie trotz unser unsere unserem unseren unserer unter viel viele
        vielen vielleicht wann waren warum wegen weil welche welchem welchen welcher wenig weniger wenn
        werde werden wieder will wird wobei wollen wollte wollten worden wurde wurden während wäre wären
        würde würden zwar zwischen über
    """,
    "fr": """
        afin ainsi alors après aussi autre autres avait avant avec avoir beaucoup bien cela celle celles
        celui cependant certains ceux chaque comme comment contre dans depuis donc dont elle elles encore
        entre faire fait leur leurs lorsque mais moins même mêmes notre nous parce pendant peut plus
        plusieurs pour pourquoi quand quel quelle quelles quelque quelques quels sans selon sera serait
        seulement sont sous tandis tous tout toute toutes très vers voire votre vous étaient était être
    """,
    "es": """
        además algo algunas algunos ante antes aquel aquella aunque cada como contra cual cuales cuando
        desde donde durante ella ellas ellos entonces entre eran esta estaba estado estas este esto estos
        están fueron haber había habían hace hacia hasta mientras mismo mucho muchos nada nosotros otra
        otras otro otros para pero poco porque puede pueden pues quien quienes sean según sido siempre sino
        sobre solo somos tanto tener tiene tienen toda todas todo todos unas unos ustedes
    """,
    "cs": """
        bude budou bych bychom byla byli bylo byly jako jeho jehož jejich její jejž ještě jsem jsme jsou
        kdyby když kterou která které který kterých kteří mezi mohou může nebo není nich podle pokud pouze
        proto protože před přes přesto také tato tedy tento toho tomto tomu této tímto těch více však všech
        všechny zatímco
    """,
}

FUNCTION_WORDS = frozenset(word for words in _LISTS.values() for word in words.split())

LONG_ENOUGH = 4
"""Letters of a word that may be a content word."""


def is_content(word: str) -> bool:
    """Whether a word names something rather than joins others: a number, or long and not grammatical.

    >>> is_content("house"), is_content("1995"), is_content("their"), is_content("the")
    (True, True, False, False)
    """
    lower = word.lower()
    if any(char.isdigit() for char in lower):
        return True
    return len(lower) >= LONG_ENOUGH and lower not in FUNCTION_WORDS and not is_punctuation(word)
