import { type Language, TEXT_REPLY_MAX_LENGTH } from '@foreword/contract';

export type Keyword = 'stop' | 'start' | 'help';

/** The carriers' standard keywords. They work in every language. */
const CARRIER_KEYWORDS: Readonly<Record<Keyword, readonly string[]>> = {
  stop: ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'],
  start: ['START', 'UNSTOP'],
  help: ['HELP', 'INFO'],
};
const SPANISH_KEYWORDS: Readonly<Record<Keyword, readonly string[]>> = {
  stop: ['PARAR', 'PARE', 'ALTO', 'BAJA', 'CANCELAR', 'DETENER', 'NOMAS', 'NOMÁS'],
  start: ['INICIAR', 'COMENZAR', 'EMPEZAR', 'ALTA'],
  help: ['AYUDA'],
};

export interface ReceivedKeyword {
  readonly keyword: Keyword;
  /** Null if the words are used in every language. */
  readonly language: Language | null;
}

const listed = (keywords: Readonly<Record<Keyword, readonly string[]>>, language: Language | null) =>
  (Object.keys(keywords) as Keyword[]).flatMap((keyword) =>
    keywords[keyword].map((word): [string, ReceivedKeyword] => [word, { keyword, language }]),
  );

const KEYWORDS: ReadonlyMap<string, ReceivedKeyword> = new Map([
  ...listed(CARRIER_KEYWORDS, null),
  ...listed(SPANISH_KEYWORDS, 'es'),
]);

/** Recognizes a reply that consists of the keyword alone, in any spelling: "Stop.", "OPT-OUT", "stop all", "¡Alto!". */
export function readKeyword(reply: string): ReceivedKeyword | null {
  const letters = reply
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
  return KEYWORDS.get(letters) ?? null;
}

/**
 * The table that decides whether a text that is no keyword asks for no more texts. `readReply` applies its parts from top to bottom;
 * `test/delivery/labelled-replies.txt` measures it. Each line is one phrase, in lower case, without accents and apostrophes:
 * `(a|b)` is a choice, `[a|b]` may be missing, `...` is up to four words, `.` is the start or end of a sentence or of the text, `~`
 * stands for a phrase of ORDINARY, and `{name}` is one of these words, with the usual misspellings.
 */
const WORDS: Readonly<Record<string, string>> = {
  stop: 'stop|stopp|sstop|stpo|sotp|tsop|stpp|stip|stap|stob|stopo|stopl|stoo|stio|dtop|ztop|st0p|stopit',
  end: 'stop|stopp|sstop|stpo|sotp|tsop|stip|stoo|dtop|st0p|quit|cease|discontinue|halt|end|cancel|terminate',
  never: 'dont|do not|donot|dnt|dont ever|do not ever|never|never ever|no longer|please not|not to',
  text: 'text|txt|texts|message|msg|contact|bother|spam|write|write to|reach out to|text or call|call or text|call or message|message or call|text or email|email or text|txet',
  texting:
    'texting|txting|texing|textin|messaging|msging|messeging|mesaging|contacting|contactin|writing|spamming|bothering|harassing|bugging|pestering|annoying|soliciting|blowing up|blowing me up|hitting me up|calling or texting|calling and texting|texting or calling|emailing and texting|reaching out|communicating|texting and calling',
  texts:
    'text|texts|txt|txts|tests|message|messages|msg|msgs|mesages|messges|text messages|text message|text msgs|txt messages|sms|spam|notifications|text alerts|alerts|reminders|videos|promotions|promos|marketing|solicitations|communication|communications|contact|texting|spam texts|spam messages',
  your: 'your|ur|you|ya|the|this|that|these|those|any|all|all of|all your|all of your|all the|all these|all of these|further|future|more|any more|anymore|so many|such',
  kind: 'damn|stupid|annoying|automated|automatic|unwanted|unsolicited|junk|marketing|promotional|video|spam|daily|constant|other|further|future|more|fucking|freaking|text',
  me: 'me|us|my phone|my cell|my number|this phone|this number|this line|here',
  us: 'him|her|them|my wife|my husband|my mom|my dad|my mother|my father|my son|my daughter|his phone|her phone',
  number:
    'my number|my numbers|our number|this number|my phone number|this phone number|my cell|my cell number|my phone|this phone|my contact|my contact info|my contact information|my info|my information|my name|our name|my name and number|my #|this #',
  list: 'list|lists|contacts|contact list|call list|calling list|texting list|text list|text message list|mailing list|marketing list|spam list|distribution list|phone list|database|data base|system|records|files|thread|group|group text|group chat|chat|texts|text messages|messages|text|msgs|texting|sms|notifications|crm|phone book|phone',
  remove:
    'remove|removed|removing|remve|romove|rmove|rmv|take|taken|taking|get|delete|deleted|erase|drop|cross|scratch|strike|wipe|purge|pull',
  unsubscribe:
    'unsubscribe|unsuscribe|unsubcribe|unsubsribe|unsubscibe|unsubscribr|unsubscrbe|unsubribe|unscribe|un subscribe|unsub|unsubscribing',
  crew: 'crew|crews|dog|dogs|kids|leak|leaks|leaking|drip|rain|raining|noise|hammering|water|pump|car|truck|work|clock|bleeding|damage|payment|check|checks|order|process|press|presses|flooding|music|sale|closing|foreclosure|mold|rot',

  deje: 'deje|dejen|deja|dejar|dejes|dejame|dejeme|dejenme|para|pare|paren|parar|parenle|parele|basta|alto|ya basta|stop',
  escribir:
    'escribir|escribirme|escribirnos|mandar|mandarme|mandarnos|enviar|enviarme|enviarnos|textear|textearme|mensajear|mensajearme|molestar|molestarme|molestarnos|contactar|contactarme|contactarnos|fastidiar|fastidiarme|acosar|acosarme|chingar|joder|fregar|llamar y escribir',
  escribiendo:
    'escribiendo|escribiendome|mandando|mandandome|enviando|enviandome|texteando|molestando|contactando|fastidiando',
  escriba:
    'escriba|escriban|escribas|escribe|escriva|escrivan|textee|texteen|textees|contacte|contacten|contactes|moleste|molesten|molestes|fastidie|fastidien|mensajee|mensajeen|busque|busquen|jodan|chinguen|este molestando|esten molestando',
  mande: 'manda|mande|manden|mandes|envia|envie|envien|envies',
  mensajes:
    'mensaje|mensajes|mensajitos|mensages|mensage|msj|msjs|texto|textos|textes|sms|videos|notificaciones|promociones|publicidad|spam|avisos|alertas|recordatorios|mensajes de texto',
  quite:
    'quite|quiten|quita|quitar|borre|borren|borra|borrar|elimine|eliminen|elimina|eliminar|saque|saquen|saca|sacar|remueva|remuevan|remover|retire|retiren|retirar',
  quiteme:
    'quiteme|quitenme|quitame|quitarme|borreme|borrenme|borrame|borrarme|elimineme|eliminenme|eliminame|eliminarme|saqueme|saquenme|sacame|sacarme|remuevame|remuevanme|removerme|retireme|retirenme|retirarme|salirme|salir|me quiten|me quite|me borren|me borre|me eliminen|me elimine|me saquen|me saque|quitarnos|quitenos|saquenos',
  lista:
    'lista|listas|lista de contactos|contactos|base|base de datos|sistema|registros|mensajes|agenda|grupo|directorio',
};

/** Ignored when a text consists of a request to stop: "Ok, stop now please". */
const FILLERS =
  'please|pleas|plese|pls|plz|plase|kindly|just|now|right now|ok|okay|hi|hello|hey|hey there|good morning|thanks|thank you|no thank you|no thanks|thx|ty|sorry|yes|already|asap|immediately|and|so|i said|i already said|sir|maam|today|forever|wrong number|wrong person|you have the wrong number|you have the wrong person|no longer interested|not interested|im not interested|omg|seriously|guys|por favor|porfavor|porfa|x favor|favor de|gracias|no gracias|hola|disculpe|perdon|ahora|numero equivocado|no me interesa|buenos dias|buenas tardes|buenas noches';

/** These words mean something else here, so they are ignored below. */
const ORDINARY = `
(dont|do not|never|cant|cannot|wont|will not|wouldnt|didnt|did not|doesnt|does not|couldnt|shouldnt|not) [you|we|i|they] [ever|just|even|want to|have to|need to|want you to|need you to|going to|trying to|mean to] {end}
(no need to|no reason to|why did you|why did they|why did i|why do|did i|did you|did they|did we|when did|since you|if you|if i|if we|once you|when you|until you|before you|after you) [guys|ever|all] {end}
(didnt|did not|never|dont) (ask|tell|say|told|asked|mean|want|need) [for|you|them|him|her|me] to {end}
(told|tell|telling|asked|ask|asking|tells) (my|him|her|them|the|our|his|me) ... {end}
(have|had) (my|him|her|them|our|his) ... {end}
(reply|replying|replied|text|texting|send|sending|type|typing|says|say|saying|write|hit|press|word) [word|the word] {stop} [to] [opt out|unsubscribe|end]
{end} texting (and|while|when|n) ... (driving|drive|drivin)
stop (by|in|at|over|on|and|to|for|off|up|short|sign|signs|light|lights|watch|loss|gap|valve|working|looking|worrying|thinking|apologizing|renting|smiling|crying|being|raining|leaking|dripping|making|barking|playing|watching)
stop it (youre|you are|im|i am|lol|haha|making|from)
{end} [the|this|that|my|our|your|all|all the|your whole] {crew}
(non|one|bus|truck|rest|pit|first|next|last|second|third|door|full|train|metro|subway|only|final|quick|short|brief|gas|bathroom|lunch|a|my|our|another|every|each|two|three|tour|back|road) stop
(to|will|would|could|can|i|we|he|she|they|it|ill|well|id|wed|theyll|should|must|might|gutter|gutters|line|fence|crew|crews|nobody can) [you|we|i|they|he|she|just|also|please|only] (stop|end|quit) (by|in|at|over|on|and|to|for|off|up|here|there|short|the|early|before|after|when|if|between|around|near|where|work|us|yesterday|tomorrow|today|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday)
(rain|noise|leak|water|hammering|that|line|gutter|driveway) [to|will] (stop|end)
(will|does|did|doesnt|until|when|before|if|once) (it|they|this|that) [ever] (stop|end)
(did|have|do) (you|they|we|i) [still|ever|really] (lose|delete|forget|remove|block|erase|drop) {number}
(how|can|could|should|may|if|would|whether|will|do) [i|we|you|they] ... opt out of (the|escrow|gutter|financing|insurance|pmi|flood|hoa|our|my|that)
(an|the|no) opt out
(i|we|ive|she|he) [already|just|accidentally|finally] (unsubscribed|unsubscribe) (from|to) (my|the|our|netflix|spotify|hulu)
(didnt|dont want to|did not|wont|never|havent|not) {unsubscribe}
(i|we|he|she|they|who|people|usually|normally|really|never|just|id) [usually|normally|really] (dont|do not|never|didnt|cant|wont|rarely) [ever|usually|normally|really|always|like to|have to] (text|message|contact|write|bother)
(dont|never|cant) (text|txt) (and|n|while) ... (drive|driving)
never text back
leave (me|us) alone (with|for|in)
(dont|do not) (text|message|write|contact) (the|your|our|him yet|them yet|her yet)
(didnt|dont|did not|do not|havent|never|not|without|hasnt) [you|i|we|even|yet] (get|got|receive|received|getting|see|seen|have|had) [any|the|your|a|that|those] [other|new] {texts}
no more (texts|text|messages|videos) (than|came|after|arrived|yet|showed|from the)
{remove} (me|us|my name|my info) (from|off|off of) [of|the|my|our] (title|the title|deed|loan|mortgage|lease|contract|policy|insurance|schedule|calendar|speaker|hold|account|permit|will|listing|waiting list|wait list|waitlist|paperwork|agreement|offer|mls|market|yard|sign)
(it|them|that one|house|one|kitchen|garage|roof|st|street) off [of] [your|our|the|my] list
to (remove|delete) (my|the|our) (name|number|info) from
(consent|agree|agreed|consented) to (the|an|your|that)
(revoked|revoke|withdraw|withdrew) (the|our|an|my offer)
(not|dont want|dont like) to (bother|be a bother)
no [me] (molesta|molestan|llego|llegaron|mando|mandaron|mandaste|envio|enviaron|escribio|escribieron|ha|han)
no (paren|pare|para|parar|paro|dejen|deje|deja|dejes|dejar|dejo) de
(cuando|hasta que|que|si|ojala|en cuanto|antes de que|por que|porque) (deje|dejen|deja|dejo|dejaron|dejaste|pare|paren|para|pararon) de (llover|gotear|trabajar|nevar|sonar|escribirme|mandar|mandarme|escribir)
no [me|nos] ({escriba}|{mande}) (al|a la|a mi|otra cosa|por facebook|por correo|el|la|los|las|si)
(por|la|el|un|planta|parte|presion|voz|luz|esta|mas|muy|tan) (alto|alta|baja|bajo|para)
de baja (medica|por enfermedad|por maternidad|por unos|hasta|el|la|del|mi|los|al)
(salir|salirme) (a|temprano|el|en)
{quite} [mi|el|la|los|las] (numero|nombre) (de|del) (la casa|letrero|contrato|anuncio|titulo|buzon)
`;

/** Texts are not wanted at some time or place: ask once. */
const LIMITED = `
{never} [please|pls] {text} [me|us|this number] [back] (before|until|till|after|at work|at night|during|while|unless|between|on weekends|on sundays|so early|so late|this early|this late|that early|that late|in the morning)
no [me|nos] ({escriba}|{mande}) [mensajes] (antes|despues|hasta|de noche|en la noche|tan temprano|tan tarde|muy temprano|muy tarde|temprano|mientras|cuando)
`;

/** A text of any length with one of these phrases asks for no more texts. */
const OPT_OUT_EN = `
{end} [all|any|with|with all|it with] [of] [{your}] [{kind}] {texting}
{end} [sending|send|sendin|with|getting|receiving|recieving] [me|us|my wife|my husband] [{your}|of] [{your}] [{kind}] {texts}
{end} (sending|send|sendin) [me|us] [all|any] [of] (stuff|things|these|this|that|crap|junk|anything|links|.|shit|it|to)
{end} [and desist] [all|any] (contact|communication|communications|calls and texts|texts and calls|solicitation)
(cease and desist|stop it with)
(can|could|will|would) (you|u|yall|you guys|someone|somebody) [please|pls|plz|just|kindly] {stop} [now|already|this|it|please|pls] .
(i|we) (want|need|would like|demand) [you|u|this|it|that|these|the texts|these texts|the messages|these messages|you all|yall|everything|all this] to (stop|end|cease|quit)
(make|have|get) (it|this|these|them|these texts|the texts|these messages) [to] (stop|end) .
(stop|quit) (stop|stop|quit)
{never} [please|pls] {text} [or call|or email] {me} [back|again|any more|anymore|ever|either|like this|at this number|on this number|please|.|ever again]
{never} [please|pls] {text} {us} (again|anymore|any more|ever)
{never} [please|pls] {text} (again|anymore|any more|ever again|back|please .|.)
{never} [please] call (or|and) (text|message) [me|us|this number|again|anymore]
{never} [keep] (send|sending|sned) [me|us] [any|another|any more|anymore|no more|more] [{your}] [{kind}|of these|of those] ({texts}|stuff|crap|shit|junk|again|anymore .|any more .|these .|this .|those .|these please|anything .|anything else|anything again|anything more|anything anymore|anything please)
(do not|dont|dnt|no longer|doesnt|does not) (want|wanna|wish|need|care|desire) [for|to] [get|receive|recieve|be|see|have|hear|getting|receiving|any] [{your}|any of your|any of these] [{kind}] ({texts}|texted|contacted|messaged|bothered|from you|on this list|on your list|on ur list|on any list|part of this)
(never|didnt|did not) (sign up|signed up|subscribe|subscribed|opt in|opted in) [for|to] [get|receive|receiving|getting] [{your}] [{kind}] ({texts}|this .|these .|that .|.)
(never|didnt|did not|dont|do not|not) (consent|consented|agree|agreed|give consent|gave consent|give permission|gave permission|ask|asked|give you permission|authorize) [to|for] [get|receive|be|being|receiving|getting] [{your}] [{kind}] (texted|contacted|{texts}|this .|these .|.)
(would like|like|want|wanna|wish|need|trying|try|how do i|how can i|how to|let me|help me|id like|please|do i|can i|could i|may i) [to] {end} [getting|receiving|recieving|to get] [all|any] [of] [{your}] [{kind}] {texts}
(want|like|request|requesting|asking|asked|wish|need|demand|please) [to] be (removed|taken off|deleted|unsubscribed|left alone|opted out)
(want|like|get|wanna be|please) off [of] [your|ur|this|the|that] {list}
(do not|dont|no longer) (want|wish|need|care) to (receive|recieve) (these|this|them|it)
{end} (getting|receiving|recieving) (these|this|them|it) .
(asking|asked|telling|told|begging|requesting) (you|u|yall|you guys|that you) [to|all to] [please] {stop} .
(you|u|yall|you guys) (need|have) to {stop} .
(please|pls|plz|kindly) ({stop}|remove|unsubscribe|delete) .
if you stopped {texting}
(if you|why|unless you) ~ {texting} {me}
how [do i|can i|to] [get] off [of] [your|this|the] {list}
no (more|further|additional) [of|of these|of your|of this|{kind}] {texts}
{remove} [me|us|him|her|them|my wife|my husband|my mom|my dad|{number}] (from|off|off of|out of|frm) [{your}] [{kind}|contact|mailing|calling|call] {list}
{remove} (me|us|{number}) (from|off) (this|these|your|everything|here|all)
(remove|removed|remve|romove|rmove|delete|erase|lose|loose|forget|block|drop|purge) {number}
(remove|remve|romove|rmove|delete) (me|us) [please|pls|plz|now|immediately|asap|today|already|thanks|thank you] .
(take|get) me off [of] [please|pls|plz|now|asap|already|thanks] .
(put|add|place) (me|us|{number}) (on|to) [your|the|ur] (do not|dont|no|dnc|dnd) [call|text|contact|list]
(do not|dont|no) (call|text|contact) (list|registry|registery)
(cancel|end|terminate|deactivate) my (subscription|enrollment)
{unsubscribe} [me|us|please|this number|my number] [from|to|now|all|.]
(i|want|wanna|like|wish|need|choose|please|have|must|to|me|will|am|hereby|im|id|we|how can i|how do i|and) (opt out|optout|opting out|opted out)
opt [me|us|this number|my number|{number}] out [of] [all|any] [your|ur|the|these|this] ({texts}|.|please|pls|everything|now|receiving|getting|immediately)
(revoke|revoking|withdraw|withdrawing|rescind) [my|all|any] [prior|previous|express] (consent|permission|authorization)
(leave|leav) (me|us|him|her|my family|my husband|my wife|my mom|my dad) (alone|alon|be .|the hell alone|tf alone)
(quit|stop) [it|this|that] (with|w) [all] [the|these|this|your] {texts}
(enough|sick|tired|fed up|had it|done) (with|of) [getting|receiving] [all] [of] [{your}] [{kind}] {texts}
(will|going to|gonna|im|am|ill|about to|have to) [be] (block|blocking|report|reporting|sue|suing) (you|u|yall|this number|your number|this as)
(blocked|blocking|reported|reporting|report) (you|u|this|your number|this number|it) [as|for] (spam|junk|scam|harassment)
(is|youre|are|considered|just) [now|pure|just|becoming] (harassment|harassing me|harassing us|harrassment)
. [please] (fuck off|f off|fk off|piss off|buzz off|bug off|screw off|get lost|go to hell|fuck you|screw you|kick rocks)
`;

const OPT_OUT_ES = `
{deje} [ya] de [estar] ({escribir}|{escribiendo})
{deje} [ya] (de|con|los|de los|con los|a los|los|esos|estos|sus|con sus|con esos|con tantos|de tantos|.|tantos) {mensajes}
alto a [los|sus|estos|todos los] {mensajes}
parar [los|sus|estos] {mensajes}
no [ya] (me|nos|le) {escriba}
no [ya] {escriba} (mas|a este numero|mensajes|.)
no [ya] [me|nos] {mande} [ya|mas|de|de esos|sus|estos|esos|tantos|ningun] [mas|nada] ({mensajes}|mas .|nada|.|por favor|nada mas)
no [me] (llamen|llame|llames) ni [me] ({escriba}|{mande})
(favor de|por favor|pido) [ya] no {escribir}
(no|nunca|jamas) [me|nos] (vuelvan|vuelva|vuelvas) a {escribir}
no [me|nos] (sigan|siga|sigas|sigue) {escribiendo}
no (quiero|deseo|quisiera|queremos|deseamos|kiero|qiero|necesito|acepto|me gustaria|solicite|pedi) [seguir] [recibir|resibir|recivir|recibiendo|tener|ver|de] [mas|sus|estos|esos|ningun|tantos|los] [mas|de sus|de estos] {mensajes}
no (quiero|deseo|quisiera|queremos|kiero) [que] (me|nos|ustedes me) [sigan|siga|vuelvan a|vuelva a] ({escriba}|{mande}|{escribiendo}|{escribir}|contacten)
no (quiero|deseo|quisiera|queremos) (ser contactado|ser contactada|seguir en|estar en|nada de ustedes|saber nada|que me contacten)
(no|nada de|ni un) mas [de] [sus|estos|esos|estos] {mensajes}
(ni un|ningun) {mensajes} mas
{quite} [me|nos] [mi numero|mi telefono|mi nombre|mi celular|este numero|mis datos|mi contacto] (de|del) [su|la|sus|esta|esa|tu|los|todas sus] {lista}
{quite} (mi|este) (numero|telefono|celular|contacto|nombre)
{quite} mis datos
{quiteme} [ya|por favor] (de|del) [su|la|sus|esta|esa|tu|los|todas sus] {lista}
{quiteme} [ya|por favor|de aqui] .
(dar|darme|darnos|deme|denme|dame|darle|denos|doy|den|de|dieran|quiero la|solicito la|pido la) (de|mi) baja
(cancelar|cancele|cancelen|cancela|cancelo|cancelenme) [la|mi|esta|los|estos|sus|todos los] (suscripcion|subscripcion|suscripsion|{mensajes})
(desuscribir|desuscribirme|desuscribanme|desuscribame|desuscribeme|desuscribirse|desinscribirme|anular mi suscripcion)
(dejeme|dejenme|dejame|dejanos|dejenos|dejennos) [ya] (en paz|tranquilo|tranquila|tranquilos)
(pierda|pierdan|olvide|olviden|olvidese de|olvidense de) mi numero
(los|las|lo|te|le|voy a|vamos a) [voy a|vamos a] (bloquear|reportar|demandar|denunciar|reportarlos|bloquearlos|demandarlos)
revoco mi (consentimiento|autorizacion|permiso)
no (autorizo|autorice|autorise|doy|di|dimos|consiento|tienen|tiene) [mi|permiso|autorizacion|consentimiento] [para|que|de] [que] [me|recibir|ser] ({escriba}|{mande}|contactado|contactarme|contacten|{mensajes}|escribirme|recibir)
ya (basta|estuvo) [bueno] (de|con) [sus|estos|tantos|tanto] {mensajes}
`;

/** Opts out as a whole text, a whole sentence, or the first or last part of one: "wrong number, stop". */
const ALONE = `
{stop} [with] [it|this|that|all|me|them|these|everything|all this|all of this|all of it|it all|this now|texts|txts|txt|text|messages|msgs|msg|spam|promo|contact]
{unsubscribe} [me|us|all|from all|this number]
(opt out|optout|opt me out|opting out|opout|opt us out) [all|of all|of texts]
(remove|delete|block) (me|us|this number|my number|number|from list|from your list|my name)
(take|get) (me|us|this number|my number) off
[take|get] off [of] [your|the|this] list
no [more|further|additional] (texts|texting|text|txt|messages|message|sms|contact|contacting|spam|soliciting|solicitation|solicitors)
(do not|dont) (text|txt|contact|message|disturb|text me|contact me|message me|text us|solicit)
(leave me alone|leave us alone|quit it|knock it off|cut it out|go away)
(basta|ya basta|alto|paren|ya paren|paren ya|parenle|ya parenle|alto ya|dejenme|quitenme|quiteme|no molestar|no molesten|ya no molesten|no mensajes|no escriban|sin mensajes|darme de baja|dar de baja|denme de baja)
`;

/** Opts out as a whole text only: in a longer one, it is about something else. */
const WHOLE = `
(end this conversation|end conversation)
(cancel|end|quit|revoke|cease|halt|discontinue|terminate|remove|removed|delete) [all|it|this|all of it|this now]
(enough|enough already|no more|never again|stops|stopped|stope|stoop|sto|atop|not anymore|block|dnc)
(pare|parar|para|para ya|baja|de baja|cancelar|cancele|cancelen|detener|detente|nomas|no mas|ya no|ya no mas|suspender|terminar|salir|borrar|eliminar|quitar|parada)
`;

/** May be such a request: ask once, and hold texts to the number. */
const ASK = `
. [please|ok|no|hey] {stop}
(wrong|incorrect) (number|person|guy|phone|num|party|contact|#)
(not|no longer|never) [at all|really|currently|that] (interested|intrested|intersted)
(no|zero) interest
(is|its|looks like|sounds like|this|thats|are|a) [this|that|it|these|you] [a|some|just|kind of] (spam|scam|phishing|fraud)
. [a|total|more] (spam|scam|scammer|scammers|spammer|harassment) .
(how|where|who) (did|do|gave|give|got) [you|yall|u] [guys] [get|got|find] [my|this] [cell|phone] (number|info|contact)
(too many|so many) {texts}
{unsubscribe}
. [please] (opt out|optout)
numero (equivocado|incorrecto)
(persona equivocada|equivocado de numero|se equivoco de numero|se equivocaron de numero|se equivoco de persona|esta equivocado|estan equivocados)
no [me|nos|estoy|estamos] (interesa|intereza|interesado|interesada|interesados)
(es|parece) [una|un|puro] (estafa|fraude|spam)
(demasiados|muchos|tantos) {mensajes}
`;

const expand = (words: string): string => words.replaceAll(/\{([a-z]+)\}/g, (_, name: string) => `(?:${WORDS[name]})`);

/** A phrase as an expression on words that one space follows each. */
const toPattern = (phrase: string): string =>
  (phrase.match(/\[[^\]]*\]|\([^)]*\)|\S+/g) ?? [])
    .map((token) => {
      if (token === '...') return '(?:[^ .~]+ ){0,4}';
      if (token.startsWith('[')) return `(?:(?:${expand(token.slice(1, -1))}) )?`;
      return `(?:${expand(token)}) `;
    })
    .join('')
    .replaceAll(/(?<=[ (|:])\.(?=[ )|])/g, String.raw`\.`);

const toSource = (table: string): string => `(?:${table.trim().split('\n').map(toPattern).join('|')})`;
/** Words are separated by one space, which also begins and ends the text. */
const contains = (table: string): RegExp => new RegExp(`(?<= )${toSource(table)}`);
const consistsOf = (...tables: readonly string[]): RegExp => new RegExp(`^ (?:${tables.map(toSource).join('|')})+$`);

const OTHER_MEANINGS = new RegExp(contains(ORDINARY), 'g');
const FILLER_WORDS = new RegExp(`(?<= )(?:${FILLERS}) `, 'g');
const IS_ALONE = consistsOf(ALONE);
const IS_WHOLE = consistsOf(ALONE, WHOLE);
const ASKS_FOR_NO_TEXTS = contains(OPT_OUT_EN);
const ASKS_FOR_NO_TEXTS_ES = contains(OPT_OUT_ES);
const LIMITS = new RegExp(contains(LIMITED), 'g');
const MAY_ASK = contains(ASK);

const SIGNATURE =
  /\n\s*(?:--|__|sent (?:from|via|with) |enviado (?:desde|con) |get outlook|obt[eé]n(?:er)? outlook)[\s\S]*$/i;

/** In lower case without accents, apostrophes, emoji and signature. ` . ` ends a sentence, and ` , ` separates its parts. */
const toPlainWords = (text: string): string =>
  ` . ${text
    .replace(SIGNATURE, '')
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('🛑', ' stop ')
    .replaceAll(/[\p{M}'’‘`´*_~>"“”«»¡¿()]/gu, '')
    .replaceAll(/[.!?;\n…]+/g, ' . ')
    .replaceAll(/[,:—–]+|\s-+\s|-+$/g, ' , ')
    .replaceAll(/[^a-z0-9.,#\s]/g, ' ')
    .replaceAll(/([a-z])\1{2,}/g, '$1')} . `
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(?<= )\. (?:[.,] )+/g, '. ');

const withoutFillers = (words: string): string => words.replaceAll(/ [.,](?= )/g, '').replaceAll(FILLER_WORDS, '');

const isAlone = (words: string): boolean =>
  words.split(' . ').some((sentence) => {
    const parts = sentence.split(' , ');
    return [sentence, parts[0], parts.at(-1)].some((part) => IS_ALONE.test(withoutFillers(` ${part} `)));
  });

/** `reply`: an ordinary reply. `ask`: it may ask for no more texts. */
export type Reading = ReceivedKeyword | 'ask' | 'reply';

/** Reads a text to a recipient's number. The same text always has the same result: words decide, in the tables above. */
export function readReply(text: string): Reading {
  const keyword = readKeyword(text);
  if (keyword !== null) return keyword;
  const words = toPlainWords(text);
  if (IS_WHOLE.test(withoutFillers(words)) || isAlone(words)) return { keyword: 'stop', language: null };
  const unexplained = words.replaceAll(OTHER_MEANINGS, '~ ');
  const unlimited = unexplained.replaceAll(LIMITS, '~ ');
  const sentences = unlimited.replaceAll(' , ', ' ');
  if (ASKS_FOR_NO_TEXTS.test(sentences)) return { keyword: 'stop', language: null };
  if (ASKS_FOR_NO_TEXTS_ES.test(sentences)) return { keyword: 'stop', language: 'es' };
  return unlimited !== unexplained || MAY_ASK.test(sentences) ? 'ask' : 'reply';
}

const EMOJI = String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}\u200a\u200b\u200d\ufe0f\s]+`;
// Reactions that phones send as texts: "Liked “…”" (iPhone), "👍 to “…”" and "Reacted 👍 to “…”" (Android), in English and Spanish.
const QUOTE = String.raw`\s*["“«].*["”»]\s*$`;
const REACTIONS = [
  `^(?:liked|loved|disliked|laughed at|emphasized|questioned)${QUOTE}`,
  '^(?:liked|loved|disliked|laughed at|emphasized|questioned) an? (?:image|photo|video|attachment|movie)$',
  `^removed an? .{1,40} from${QUOTE}`,
  `^(?:le gust[aó]|le encant[aó]|me gusta|me encanta|no le gust[aó]|no me gusta|se ri[oó] de|enfatiz[oó]|cuestion[oó])${QUOTE}`,
  `^(?:elimin[oó]|quit[oó]) .{1,40} de${QUOTE}`,
  `^(?:reacted |reaccion[oó] con )?${EMOJI} ?(?:to|a)${QUOTE}`,
].map((pattern) => new RegExp(pattern, 'isu'));

/** A reaction to one of our texts. It is no reply: phones send it with a tap, also when it is taken back. */
export const isReaction = (text: string): boolean => REACTIONS.some((pattern) => pattern.test(text));

/** The words of a text without characters that no one can see, and no longer than carriers deliver. */
export function cleanText(body: string): string {
  const visible = body
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n]/gu, ' ')
    .replaceAll(/[\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .trim();
  return [...visible].slice(0, TEXT_REPLY_MAX_LENGTH).join('');
}
