"""French cues. Data."""

from __future__ import annotations

from memctl.extract.lexicons.base import Lexicon

FRENCH = Lexicon(
    code="fr",
    words="""le les des du et une dans pour avec sur qui nous vous je il elle ce cette ces aux ou
    quel quelle sont etre leur notre votre mes nos pourquoi quand fait faut peut doit chez cela
    ete etait mais donc sans ne pas jamais toujours parce car plutot on ecris utilise est d l j
    c n qu s aussi tout tous toutes tes ton tu moi plus que la de un en au par si rien aucun
    aucune deja utilisons desormais dorenavant sors publie mieux afin chaque""",
    lasting="a partir de maintenant | desormais | dorenavant | a l'avenir | dans le futur | "
    "a partir d'aujourd'hui | a compter de | la prochaine fois | a partir de demain",
    always="toujours | systematiquement | a chaque fois | chaque fois | par defaut | "
    "en general | de maniere generale | en permanence | sans exception | partout | par principe",
    likes="pas besoin de me | pas besoin que tu | inutile de me | je veux juste | "
    "ca me va mieux | je prefere | j'aime mieux | j'aime | je n'aime pas | "
    "j'aimerais que ~ toujours | je deteste | je veux que tu | je veux toujours | "
    "je ne veux pas | je ne veux plus | je veux pas | ca m'agace | m'enerve* | je prefererais | "
    "me convien* mieux | je trouve ~ mieux | j'ai horreur | je n'ai pas besoin",
    decides="finalement ce sera | ce sera | on a remplace | on a laisse tomber | "
    "on a abandonne | on n'utilise plus | on a decide | nous avons decide | avons decide | "
    "a ete decide | c'est decide | c'est tranche | on a choisi | nous avons choisi | "
    "on a opte | nous avons opte | on part sur | nous partons sur | on reste sur | "
    "nous restons sur | on garde | on passe a | on passe sur | nous passons a | on migre | "
    "nous migrons | on va utiliser | nous allons utiliser | on abandonne | on laisse tomber | "
    "on s'est mis d'accord | la decision | notre choix | on bascule | on mise sur | "
    "on est passe* | retenu | on renonce | on opte",
    uses="on utilise | nous utilisons | on stocke | nous stockons | on prend | nous prenons | "
    "on se sert | on deploie | nous deployons | on ecrit | on met | on tourne | est heberge* | "
    "tourne sur | on heberge | on travaille avec | on conserve",
    forbids="rien ne part | rien ne passe ~ sans | sans ~ rien | uniquement | seulement le* | "
    "seulement apres | jamais | en aucun cas | sous aucun pretexte | interdit* | "
    "il est interdit | ne doit pas | ne doivent pas | ne doit jamais | ne peut pas | "
    "ne peuvent pas | ne faut pas | ne faut surtout pas | faut pas | surtout pas | "
    "pas question | aucun* ~ sans | pas de ~ sans | ne touche pas | ne touche* | touche pas | "
    "hors de question | n'est pas autorise* | ne ~ uniquement | pas de ~ dans | pas de ~ en | "
    "pas de ~ le | pas de ~ avant | pas de ~ apres",
    duties="la regle | validation ~ requise | il faut l'accord | besoin de l'accord | doit | "
    "doivent | il faut que | il faut | obligatoire* | obligatoirement | imperatif | "
    "imperativement | il est necessaire | est requis* | exige* | au minimum | au maximum | "
    "au plus | au moins | assure-toi | veille a | indispensable",
    remembers="rappelle-toi | souviens-toi | n'oublie pas | oublie pas | retiens que | "
    "garde en tete | note que | pour info | pour memoire | sache que",
    orders="ecris | reponds | utilise | fais | demande | demande-moi | explique | montre | "
    "lance | execute | mets | garde | laisse | donne | evite | previens | previens-moi | "
    "tutoie | prends | formate | verifie | redige | commence | termine | sois",
    manner="repon* | explica* | explique* | commentaire* | message* de commit | "
    "messages de commits | les commits | en francais | en anglais | emoji* | listes a puces | "
    "liste a puces | resume* | tutoie* | vouvoie* | bref* | concis* | court* reponse* | "
    "demande-moi | phrases",
    everywhere="dans tous ~ projets | dans chaque projet | sur tous ~ projets | "
    "dans tous ~ depots | pour tous ~ projets | dans n'importe quel projet | "
    "quel que soit le projet",
    reasons="parce que | parce qu* | car | puisque | vu que | afin de | afin que | pour que | "
    "pour eviter | etant donne | a cause de | en raison de | sinon | sans quoi | comme | grace a",
    over="plutot que | plutot qu'* | au lieu de | au lieu d'* | a la place de | et non | "
    "et pas | et plus",
    fleeting="cette fois | cette fois-ci | pour l'instant | pour le moment | en ce moment | "
    "temporairement | provisoirement | juste pour | exceptionnellement | dans ce commit | "
    "dans cette pr | dans ce fichier | sur cette branche | pour ce commit | "
    "aujourd'hui seulement | pour aujourd'hui | en attendant | pour tester | maintenant sur | "
    "juste ici | ici juste",
    tasks="ajoute | corrige | regarde | verifie | implemente | cree | supprime | renomme | "
    "mets a jour | tu peux | peux-tu | pourrais-tu | tu pourrais | cherche | trouve | analyse | "
    "repare | refactorise | lance les | tu dois | je dois | continue | jette un oeil | pousse",
    questions="pourquoi | quel* | qui est | ou est | quand est | combien | comment | "
    "est-ce que | qu'est-ce | tu peux | peux-tu | doit-on | faut-il",
    hedges="peut-etre | je pense que | je crois que | pourrait | on pourrait | eventuellement | "
    "sans doute | je ne sais pas",
    troubles="echoue | echouent | erreur | erreurs | ne marche pas | marche pas | "
    "ne fonctionne pas | plante | casse | bloque | lent | a marche | ca bug* | ne passe pas | "
    "passe pas",
)
