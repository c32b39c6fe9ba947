"""Words that stand for one another in the talk about software, in five languages. Pure.

Each group of `_GROUPS` begins with `-`, or with `!` if its words name something that an agent does
and that people lay down rules for: a commit, a release, a test. First come English words in their
bare form, the first being the plainest; behind bars stand the beginnings of German, Spanish, French
and Portuguese words, folded. The groups are rough on purpose: what they say counts a little, beside
words in common and meaning. Written by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from memctl.core.frozen import dataclass
from memctl.text import tokens

_GROUPS = """\
! deploy ship release rollout launch publish production prod deployment | deploy ausliefer ausroll
  veroffentlich produktion | despleg desplieg produccion publi lanz | deploi publi livr production
  | implant public lanc producao
! release version tag changelog bump | version | version | version | versao
! install dependency package library gem crate upgrade lockfile | installier abhangigkeit paket
  bibliothek | instal dependencia paquete biblioteca libreria | installe dependance paquet
  bibliotheque | instal dependencia pacote biblioteca
! commit | commit | commit | commit | commit
! push | push hochlad | subir sube | pouss | envi
! branch | branch zweig | rama | branche | ramo
! review reviewer approve approval merge pr | review prufe uberpruf freigeb genehmig | revis aprob
  | revue relire valide | revis aprov
! test suite spec pytest unittest jest vitest e2e | test | prueb | test | teste
! build compile bundle | bau build kompilier ubersetz | compil constru | compil constru | compil
  constru
! lint format formatter linter style reformat prettier ruff | formatier | formate | formate |
  format
! migrate migration schema alter | migration spalte tabelle | migra columna tabla | migration
  colonne table | migra coluna tabela
! log logging debug printk trace stdout | log protokoll ausgabe | registr imprim | journal affich
  | registr imprim
! sign signing signature signed certificate notarize | signier unterschreib unterzeichn | firm |
  signe signature | assin
! flash firmware | flash | graba | flash | grava
- start launch run execute serve boot | start starte ausfuhr laufen | arranc inici ejecut corre
  corro lanz | demarr lanc execut | inici execut rodar
! backup restore snapshot | sicherung backup wiederherstell | copia respald restaur | sauvegarde
  restaur | copia restaur
! translate translation string text wording locale i18n caption | ubersetz text beschriftung |
  traduc texto mensaje | tradu texte message | traduz texto mensagem
! style css color colour darker lighter theme styling | farbe stil aussehen | color estilo |
  couleur style | cor estilo
! document documentation docs readme guide | doku dokumentation anleitung | documenta manual |
  documenta | documenta
! diagram plot figure visualise | diagramm zeichn | diagrama dibuj grafic | diagramme dessin
  graphique | diagrama desenh grafic
- random seed shuffle subsample bootstrap | zufall | aleatori | aleatoire hasard | aleatori
! password secret token credential apikey | passwort kennwort geheimnis schlussel zugangsdaten |
  contrasena clave secreto credencial | passe secret cle | senha segredo chave
- delete remove drop erase purge wipe clean cleanup | losch entfern | borr elimin | supprim efface
  | apag exclu remov
! archive retention storage cold | archiv aufbewahr | archiv guard almacen | archiv conserv |
  arquiv guard
! export share deliver handover | export send schick liefer | export envi compart | export envoy
  partag | export envi compart
! container docker image podman apptainer | container | contenedor imagen | conteneur image |
  container imagem
! namespace cluster kubernetes pod | cluster | cluster | grappe | cluster
! schedule cron nightly job timer | zeitplan aufgabe | tarea programa | tache | tarefa
- picture sprite icon image png svg texture graphic asset artwork | bild symbol grafik | imagen
  icono | image icone | imagem icone
- toggle flag switch feature | schalter umschalt | interruptor | bascule | chave
! login signin authentication auth session password | anmeld einlogg | sesion acceso | connexion |
  acesso
- form field input label | formular feld | formulario campo | formulaire champ | formulario campo
! ticket issue jira task | ticket aufgabe | ticket | ticket | ticket
- name naming identifier variable prefix | name benenn | nombr | nomm | nome
! plan proposal outline rewrite redesign overhaul | plan entwurf | plan | plan | plano
- database db postgres sql table query | datenbank | base | base donnees | banco
- dependency package library npm pnpm yarn pip gem crate cargo | abhangigkeit paket | dependencia
  paquete | dependance paquet | dependencia pacote
- dependency install package library npm pnpm yarn pip | abhangigkeit | dependencia | dependance |
  dependencia
- money price amount total cost sum cent euro currency payment | geld preis betrag summe kosten |
  dinero precio importe total | argent prix montant somme | dinheiro preco valor total
- payment pay paid checkout invoice | zahl bezahl | pag | pai paye | pag
- invoice bill receipt | rechnung beleg quittung | factura recibo | facture recu | fatura recibo
- tax vat | steuer umsatzsteuer mehrwertsteuer mwst | impuesto iva | taxe tva impot | imposto iva
- interrupt isr handler irq | interrupt unterbrechung | interrupcion | interruption | interrupcao
- customer client buyer user subscriber | kunde benutzer nutzer | client usuari | client
  utilisateur | client usuari
- address street name email phone personal | adresse anschrift | direccion | adresse | endereco
- personal pii patient name address email private | personenbezogen | personal | personnel |
  pessoa
- refund reimburse money back | erstatt ruckzahl | reembols | rembours | reembols
- coupon voucher discount promo code | gutschein rabatt | cupon descuento | coupon remise | cupom
  desconto
- stock inventory warehouse | lager bestand | almacen existencia | stock entrepot | estoque
- shipping parcel delivery carrier shipment courier | versand paket lieferung | envio paquete |
  livraison colis | envio entrega
- search find lookup index query | suche such | busca busqueda | recherche cherch | busca
- image picture photo | bild foto | imagen foto | image photo | imagem foto
- video ad advertisement interstitial banner | werbung | anuncio | publicite | anuncio
- mail email message smtp newsletter | mail nachricht | correo | courriel mail | correio
- alert alarm notification pager monitoring | alarm warnung benachrichtig | alerta aviso | alerte
  | alerta
- dashboard monitoring grafana metric | dashboard uberwach | panel metrica | tableau metrique |
  painel metrica
- port listen socket | port | puerto | port | porta
- speed velocity fast rate baud | geschwindigkeit schnell | velocidad rapid | vitesse rapide |
  velocidade rapid
- battery cell power coin | batterie akku | bateria pila | batterie pile | bateria pilha
- sensor measure reading | sensor mess | sensor medi | capteur mesur | sensor medi
- memory ram heap malloc allocate buffer allocation oom | speicher | memoria | memoire | memoria
- disk space storage tmp full drive | platte speicherplatz | disco espacio | disque espace | disco
  espaco
- crash fail error exception broken hang freeze | absturz fehler absturzt | falla error fallo |
  plante erreur panne | falha erro
- slow performance speed fps frame latency stutter | langsam | lent | lent | lent
- sound audio noise silent music | ton klang gerausch stumm | sonido ruido | son bruit | som ruido
- level world map scene | level welt | nivel mundo | niveau monde | nivel mundo
- score leaderboard ranking highscore | rangliste punkte | puntuacion clasificacion | score
  classement | pontuacao
- save savegame store persist write file | speicher sicher | guard | sauvegard enregistr | salv
  guard
- color blue red green hue | farbe blau rot grun | color azul rojo verde | couleur bleu rouge vert
  | cor azul vermelho verde
- font text glyph letter | schrift | fuente | police | fonte
- key keyboard shortcut press input | taste tastatur | tecla | touche clavier | tecla
- button click press | knopf taste schaltflache | boton | bouton | botao
- bank account iban transfer | bank konto | banco cuenta | banque compte | banco conta
- booking entry ledger account | buchung konto | asiento cuenta | ecriture compte | lancamento
  conta
- month closing monthly june july | monat abschluss | mes cierre | mois cloture | mes fechamento
- deadline due until date | frist termin fallig | plazo fecha | echeance date | prazo data
- reminder dunning overdue | mahnung erinner | recordatorio | rappel | lembrete
- report evaluation summary | bericht auswertung | informe | rapport | relatorio
- rate exchange currency dollar franc foreign | kurs wechselkurs wahrung | cambio moneda | taux
  change devise | cambio moeda
- round rounding float decimal cent | rund | redonde | arrond | arredond
- format encoding csv xml json | format | formato | format | formato
- checksum crc hash md5 sha | prufsumme | suma | somme | soma
- byte endian order | byte | byte | octet | byte
- protocol mqtt http coap upstream | protokoll | protocolo | protocole | protocolo
- gateway cloud upstream | gateway wolke | pasarela nube | passerelle nuage | gateway nuvem
- sleep suspend standby idle night | schlaf | suspen dormi | veille | suspen
- current draw power consumption | strom verbrauch | corriente consumo | courant consommation |
  corrente consumo
- module file driver component | modul treiber | modulo | module pilote | modulo
- interface ui page screen window view component | oberflache seite bildschirm fenster | interfaz
  pagina pantalla ventana | interface page ecran fenetre | interface pagina tela janela
- accessibility a11y label aria audit | barrierefrei | accesib | accessib | acessib
- environment conda env virtualenv | umgebung | entorno | environnement | ambiente
- model train training fit experiment epoch | modell trainier | modelo entren | modele entrain |
  modelo trein
- dataset data raw source csv | daten rohdaten | dato | donnee | dado
- feature column variable predictor | merkmal | variable | variable | variavel
- shared common helper util | gemeinsam | compartid | partage commun | compartilh
- notebook jupyter | notebook | cuaderno notebook | carnet notebook | notebook
- frontend component react view ui | komponente | componente | composant | componente
- backend server api endpoint route rest | schnittstelle server | servidor | serveur | servidor
- api endpoint rest graphql request | schnittstelle | api | api | api
- thread isr task concurrency queue | faden | hilo | fil | thread
- cache redis memory | zwischenspeicher | cache | cache | cache
- retry idempotent twice duplicate double | doppelt zweimal | doble dos | double deux | duplo duas
- lock race concurrent simultaneous second moment | sperr gleichzeitig | bloque | verrou | bloque
- permission denied locked open access | berechtigung gesperrt | permiso | permission acces |
  permissao
- firewall ssh port open vpn wireguard | firewall | cortafuegos | parefeu | firewall
- ssh login server host machine | rechner | servidor | serveur machine | servidor
- ingress proxy traefik nginx route | eingang | entrada | entree | entrada
- certificate tls ssl letsencrypt | zertifikat | certificado | certificat | certificado
- secret encrypted sops vault password plaintext | geheim verschlussel | secreto cifrad | secret
  chiffr | segredo cifrad
- volume storage disk pvc persistent | datentrager | volumen | volume | volume
- licence license gpl | lizenz | licencia | licence | licenca
- python py script | python | python | python | python
- holiday friday weekend | freitag feiertag wochenende | viernes festivo | vendredi ferie | sexta
  feriado
- staging environment | staging | preproduccion | preproduction | homologacao
- oncall pager duty shift | bereitschaft | guardia | astreinte | plantao
- owner responsible contact who maintain | zustandig verantwortlich ansprechpartner | responsable
  encargad | responsable | responsavel
- node host machine server | knoten | nodo | noeud | no
- time timezone utc clock hour cron | uhrzeit zeit | hora | heure | hora
- todo fixme later | offen | pendiente | faire | pendente
- reply answer language english | antwort sprache | respond idioma | repond langue | respost
  idioma
- short brief concise summary | kurz | breve cort | court bref | curt
- comment docstring | kommentar | comentario | commentaire | comentario
- config configuration setting option parameter | einstellung konfig | ajuste config | reglage
  config | config ajuste
- queue background worker job async | warteschlange hintergrund | cola fondo | file arriere | fila
- upload file transfer | hochlad | subir sube | televers | carreg
- download fetch pull | herunterlad | descarg | telecharg | baix
- permission role access right | recht rolle zugriff | permiso acceso | droit acces | permissao
  acesso
- meeting call appointment | besprechung termin | reunion cita | reunion | reuniao
- budget cost price spend cloud | kosten budget | coste presupuesto | cout budget | custo
  orcamento
- pipeline workflow run batch | pipeline ablauf | flujo | pipeline | fluxo
- column table schema migration field | spalte tabelle feld | columna tabla campo | colonne table
  champ | coluna tabela campo
- print log output stdout | ausgabe druck | imprim | imprim affich | imprim
- editor ide vim neovim helix emacs vscode | editor | editor | editeur | editor
- shell fish bash zsh terminal prompt | terminal | consola | terminal | terminal
- laptop machine os linux fedora ubuntu macos windows phone | rechner telefon | ordenador portatil
  telefono | ordinateur telephone | computador telefone
- answer question explanation verbose tone emoji | antwort frage | respuesta pregunta | reponse
  question | resposta pergunta
"""
# What English hangs on a word, with what stands in its place in the bare word, by the last letter.
_ENDINGS = {
    "s": (("s", ""), ("ies", "y"), ("ses", "s"), ("xes", "x"), ("ches", "ch"), ("shes", "sh")),
    "g": (("ing", ""), ("ing", "e")),
    "d": (("ed", ""), ("ed", "e")),
}
# Letters. What would be shorter without its ending is another word.
_SHORTEST_WORD = 3
# Letters that all forms of a word begin with, but for a short word's last one: `use`, `using`.
_SHARED = 3
# What may stand in place of that last letter.
_INSTEAD_OF_LAST = "i"
# Letters by which the beginnings of foreign words are looked up, and what may follow a beginning.
_HEAD = 4
_LONGEST_ENDING = 5
# Characters of a text that are looked at: what a record is about stands at its beginning.
_LOOKED_AT = 600
# The share of the words of a foreign text that must be known to say in English what it is about.
_LEAST_KNOWN = 0.5
_NONE: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class WordGroups:
    """The groups: `english` by bare word, `foreign` by the first letters with the rest of each
    beginning; `plainest` is the first word of each, `members` all English ones, `beginnings` all
    foreign ones; `actions` are the groups that name what an agent does.
    """

    english: Mapping[str, frozenset[int]]
    foreign: Mapping[str, Sequence[tuple[str, int]]]
    plainest: tuple[str, ...]
    members: tuple[tuple[str, ...], ...]
    beginnings: tuple[Sequence[str], ...]
    actions: frozenset[int]


@lru_cache(maxsize=1)
def open_groups() -> WordGroups:
    """All groups, read once in a process."""
    english: dict[str, frozenset[int]] = {}
    foreign: dict[str, list[tuple[str, int]]] = {}
    members, beginnings, actions = [], [], []
    for number, entry in enumerate(_GROUPS.replace("\n  ", " ").splitlines()):
        mark, *own = entry[: entry.index("|")].split()
        others = entry[entry.index("|") :].replace("|", " ").split()
        alone = frozenset((number,))
        if mark == "!":
            actions.append(number)
        members.append(tuple(own))
        beginnings.append(others)
        for word in own:
            english[word] = english[word] | alone if word in english else alone
        for beginning in others:
            head, told = beginning[:_HEAD], (beginning, number)
            if head in foreign:
                foreign[head].append(told)
            else:
                foreign[head] = [told]
    return WordGroups(
        english,
        foreign,
        tuple([words[0] for words in members]),
        tuple(members),
        tuple(beginnings),
        frozenset(actions),
    )


@lru_cache(maxsize=8192)
def find_groups(word: str) -> frozenset[int]:
    """The numbers of the groups that a word belongs to, in whatever form it stands; without its
    ending it has a `*`.
    """
    english = open_groups().english
    low = word.rstrip("*").lower()
    found = english.get(low, _NONE)
    for ending, instead in _ENDINGS.get(low[-1:], ()):
        if low.endswith(ending) and len(low) - len(ending) + len(instead) >= _SHORTEST_WORD:
            bare = low[: -len(ending)] + instead
            found |= english.get(bare, _NONE)
            if len(bare) > _SHORTEST_WORD and bare[-1] == bare[-2]:  # shipp-ing
                found |= english.get(bare[:-1], _NONE)
    if found or len(low) < _SHORTEST_WORD:
        return found
    return _find_foreign_groups(low, word.endswith("*"))


def _find_foreign_groups(low: str, is_cut: bool) -> frozenset[int]:
    """The groups of the longest beginning that a word of another language has; one without its
    ending may be shorter.
    """
    folded = low if low.isascii() else tokens.fold_word(low)
    known = open_groups().foreign.get(folded[:_HEAD])
    if known is None:
        return _NONE
    fitting = [
        (len(beginning), number)
        for beginning, number in known
        if (folded.startswith(beginning) and len(folded) - len(beginning) <= _LONGEST_ENDING)
        or (is_cut and beginning.startswith(folded))
    ]
    longest = max(fitting, default=(0, 0))[0]
    return frozenset(number for length, number in fitting if length == longest)


def has_groups(text: str) -> bool:
    """Whether a word of a text belongs to a group, of a long one a word at its beginning."""
    return any(map(find_groups, tokens.list_words(text[:_LOOKED_AT])))


@lru_cache(maxsize=2048)
def find_groups_in(text: str, wanted: frozenset[int]) -> frozenset[int]:
    """Those of some groups that a word of a text belongs to, of a long one a word at its
    beginning.

    Words that begin unlike all of these groups are not looked up: that would take most of the time.
    """
    if not wanted:
        return _NONE
    heads = _list_heads(wanted)
    found = _NONE
    for word in set(tokens.list_words(text[:_LOOKED_AT])):
        if word[:_SHARED] in heads or not word.isascii():
            found |= find_groups(word)
    return found & wanted


@lru_cache(maxsize=64)
def _list_heads(groups: frozenset[int]) -> frozenset[str]:
    """How words of ASCII begin that may belong to some groups."""
    known = open_groups()
    words = {each for n in groups for each in (*known.members[n], *known.beginnings[n])}
    short = [word for word in words if len(word) == _SHARED]
    return frozenset(
        [
            *[word[:_SHARED] for word in words],
            *[word[:-1] + _INSTEAD_OF_LAST for word in short],
        ]
    )


def find_actions(words: Iterable[str]) -> frozenset[int]:
    """The groups of words that name what an agent does."""
    found = _NONE.union(*map(find_groups, words))
    return found & open_groups().actions if found else found


def say_in_english(text: str, terms: Iterable[str]) -> str | None:
    """A text of another language word for word in English, what is unknown as it stands; None
    where too few of its terms are known.
    """
    known = [bool(find_groups(term)) for term in terms]
    if not known or sum(known) < _LEAST_KNOWN * len(known):
        return None
    words = []
    for word in tokens.list_words(text):
        groups = find_groups(word)
        if groups:
            words.append(open_groups().plainest[min(groups)])
        elif len(word) > _SHORTEST_WORD:
            words.append(word)
    return " ".join(words)


def list_members(groups: Iterable[int]) -> list[str]:
    """The English words of some groups."""
    members = open_groups().members
    return list(dict.fromkeys(word for number in sorted(groups) for word in members[number]))
