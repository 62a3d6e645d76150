"""Language codes as files write them (ISO 639-1, -2 and -3, with BCP 47 subtags) and as we store them.

Old task files say ``ger`` or ``deu``, new ones ``de`` or ``de-AT``; all mean the same language to a
tokenizer. The two letter code is stored where there is one. Three-letter codes are those of ISO 639-2 and of
the large translation benchmarks; an unknown code is refused, for it is nearly always a slip (``gr`` for
``el``, ``jp`` for ``ja``).
"""

from __future__ import annotations

import re

_TAG = re.compile(r"(?P<primary>[A-Za-z]{2,3})(?P<rest>([-_][A-Za-z0-9]{1,8}){0,3})")

# two letters : three letters, terminological
_PAIRS = """
    aa:aar ab:abk ae:ave af:afr ak:aka am:amh an:arg ar:ara as:asm av:ava ay:aym az:aze ba:bak be:bel
    bg:bul bi:bis bm:bam bn:ben bo:bod br:bre bs:bos ca:cat ce:che ch:cha co:cos cr:cre cs:ces cu:chu
    cv:chv cy:cym da:dan de:deu dv:div dz:dzo ee:ewe el:ell en:eng eo:epo es:spa et:est eu:eus fa:fas
    ff:ful fi:fin fj:fij fo:fao fr:fra fy:fry ga:gle gd:gla gl:glg gn:grn gu:guj gv:glv ha:hau he:heb
    hi:hin ho:hmo hr:hrv ht:hat hu:hun hy:hye hz:her ia:ina id:ind ie:ile ig:ibo ii:iii ik:ipk io:ido
    is:isl it:ita iu:iku ja:jpn jv:jav ka:kat kg:kon ki:kik kj:kua kk:kaz kl:kal km:khm kn:kan ko:kor
    kr:kau ks:kas ku:kur kv:kom kw:cor ky:kir la:lat lb:ltz lg:lug li:lim ln:lin lo:lao lt:lit lu:lub
    lv:lav mg:mlg mh:mah mi:mri mk:mkd ml:mal mn:mon mr:mar ms:msa mt:mlt my:mya na:nau nb:nob nd:nde
    ne:nep ng:ndo nl:nld nn:nno no:nor nr:nbl nv:nav ny:nya oc:oci oj:oji om:orm or:ori os:oss pa:pan
    pi:pli pl:pol ps:pus pt:por qu:que rm:roh rn:run ro:ron ru:rus rw:kin sa:san sc:srd sd:snd se:sme
    sg:sag sh:hbs si:sin sk:slk sl:slv sm:smo sn:sna so:som sq:sqi sr:srp ss:ssw st:sot su:sun sv:swe
    sw:swa ta:tam te:tel tg:tgk th:tha ti:tir tk:tuk tl:tgl tn:tsn to:ton tr:tur ts:tso tt:tat tw:twi
    ty:tah ug:uig uk:ukr ur:urd uz:uzb ve:ven vi:vie vo:vol wa:wln wo:wol xh:xho yi:yid yo:yor za:zha
    zh:zho zu:zul
"""
# two letters : three letters, bibliographic, where they differ
_BIBLIOGRAPHIC = """
    sq:alb hy:arm eu:baq my:bur zh:chi cs:cze nl:dut fr:fre ka:geo de:ger el:gre is:ice mk:mac mi:mao
    ms:may fa:per ro:rum sk:slo bo:tib cy:wel
"""
# languages and groups that have no two-letter code
_OTHERS = """
    ace ach acm acq ada ady aeb afa afh agr ain ajp akk ale alg als alt ang anp apa apc arc arn arp ars
    arw ary arz ast ath aus awa ayc ayr azb azj bad bai bal ban bar bas bat bej bem ber bhb bho bik bin
    bjn bla bnt bra brx btk bua bug byn cad cai car cau ceb cel chb chg chk chm chn cho chp chr chy cjk
    ckb cmc cmn cnr cop crh csb cus dak dar day del den dgr dik din diq doi dra dsb dua dum dyu efi egy
    eka elx enm ewo fan fat fil fiu fon frm fro frp frr frs fuf fur fuv gaa gay gaz gba gem gez gil gmh
    goh gom gon gor got grb grc gsw gwi hai hak haw hif hil him hit hmn hne hsb hup hyw iba ijo ilo inc
    ine inh ira iro jbo jpr jrb kaa kab kac kam kar kaw kbd kbp kea kha khi khk kho kmb kmr knc kok kos
    kpe krc krl kro kru kum kut lad lah lam lez lij lmo lol loz ltg lua lui lun luo lus lvs lzh mad mag
    mai mak man map mas mdf mdr men mfe mga mhr mic min miq mis mjw mkh mnc mni mno mnw moh mos mrj mul
    mun mus mwl mwr myn myv nah nai nan nap nds new nhn nia nic niu nog non npi nqo nso nub nus nwc nym
    nyn nyo nzi olo ory osa ota oto paa pag pal pam pap pau pbt pcm peo pes phi phn plt pon pra pro prs
    quy quz raj rap rar rif rmy roa rom rup sad sah sai sal sam sas sat scn sco sdh sel sem sga sgn sgs
    shn shs sid sio sit sla sma smi smj smn sms snk sog son srn srr ssa suk sus sux swc swh syc syr szl
    tai taq tcy tem ter tet the tig tiv tkl tlh tli tmh tog tpi tsi tum tup tut tvl tyv tzm udm uga umb
    und uzn vai vec vep vot vro wae wak wal war was wen wuu xal yao yap ydd ypk yue yuw zap zbl zen znd
    zsm zun zxx zza
"""

_SHORT = {long: short for short, long in (p.split(":") for p in (_PAIRS + _BIBLIOGRAPHIC).split())}
_SHORT |= {short: short for short in set(_SHORT.values())} | {other: other for other in _OTHERS.split()}


def normalise(code: str) -> str | None:
    """The code as we store it; None if no such language is known.

    >>> normalise("ger"), normalise("deu"), normalise("zh_Hans"), normalise("EN-gb")
    ('de', 'de', 'zh-Hans', 'en-GB')
    >>> normalise("klingon"), normalise("jp"), normalise("")
    (None, None, None)
    """
    tag = _TAG.fullmatch(code.strip())
    short = _SHORT.get(tag["primary"].lower()) if tag else None
    if tag is None or short is None:
        return None
    rest = [part for part in re.split("[-_]", tag["rest"]) if part]
    return "-".join([short, *map(_subtag, rest)])


def primary(code: str) -> str:
    """The language without script and region.

    >>> primary("zh-Hans")
    'zh'
    """
    return code.partition("-")[0]


def _subtag(part: str) -> str:
    """Letters as BCP 47 recommends: Script, REGION, variant."""
    if len(part) == 4 and part.isalpha():
        return part.title()
    return part.upper() if len(part) == 2 else part.lower()
