import {
  DAY_MINUTES as DAY,
  HOUR_MINUTES as HOUR,
  type Lane,
  type Responsibility,
  type TouchpointContext,
} from '@foreword/contract';

/** The title and the script of a starting touchpoint for recipients who prefer Spanish. */
interface SpanishTemplates {
  readonly pageTitle: string;
  readonly script: string;
}

/**
 * Latin American Spanish, with the formal "usted", as short as the English scripts. Trades follow "proyecto de", so that no
 * article has to agree with them.
 */
export const SPANISH = {
  new_appointment: {
    pageTitle:
      '{{ recipient.first_name | truncate: 40 }}, conozca a {{ member.first_name | truncate: 40 }} antes de su visita',
    script:
      'Hola, {{ recipient.first_name }}, soy {{ member.first_name }}, de {{ organization.name }}, y seré quien le visite' +
      '{% if appointment %} el {{ appointment }}{% endif %}. ' +
      'Juntos revisaremos {% if trade %}el proyecto de {{ trade }}{% else %}su casa{% endif %} y le daré respuestas claras.',
  },
  appointment_confirmation: {
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, todo listo para su cita',
    script:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, para confirmar ' +
      '{% if appointment %}que estaré en su casa el {{ appointment }}{% else %}mi visita a su casa{% endif %}. ' +
      'Si algo cambia, avíseme y buscamos otro horario.',
  },
  new_inspection: {
    pageTitle:
      '{{ recipient.first_name | truncate: 40 }}, conozca a {{ member.first_name | truncate: 40 }}, que hará su inspección',
    script:
      'Hola, {{ recipient.first_name }}, soy {{ member.first_name }}, y {{ organization.name }} me envía a inspeccionar su casa' +
      '{% if appointment %} el {{ appointment }}{% endif %}. ' +
      'Buscaré daños por tormenta y le mostraré exactamente lo que encuentre.',
  },
  inspection_confirmation: {
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, su inspección está confirmada',
    script:
      '{{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, con todo listo para su inspección' +
      '{% if appointment %} el {{ appointment }}{% endif %}. ' +
      'Solo tenga a mano los papeles del seguro, si puede.',
  },
  on_my_way: {
    pageTitle: '{{ member.first_name | truncate: 60 }} va en camino',
    script:
      'Hola, {{ recipient.first_name }}, soy {{ member.first_name }}, de {{ organization.name }}, y ya voy en camino. ' +
      'Esta es la cara que verá en su puerta, para que sepa que soy yo. Nos vemos pronto.',
  },
  estimate_follow_up: {
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, unas palabras sobre su presupuesto',
    script:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, sobre el presupuesto ' +
      '{% if trade %}de {{ trade }}{% else %}para su casa{% endif %}. Tómese su tiempo. ' +
      'Si algo no está claro, llámeme y lo revisamos línea por línea.',
  },
  decision_follow_up: {
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, tómese todo el tiempo que necesite',
    script:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, y sé que elegir a quién ' +
      'confiarle {% if trade %}el proyecto de {{ trade }}{% else %}su casa{% endif %} es una decisión importante, así que tómese ' +
      'su tiempo. Si algo le preocupa, lo conversamos.',
  },
  inspection_findings: {
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, esto es lo que encontramos',
    script:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, y acabo de revisar las fotos ' +
      'de la inspección de su casa. Llámeme cuando tenga un minuto y le explico en palabras sencillas lo que encontré.',
  },
  claim_follow_up: {
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, ¿cómo va su reclamo?',
    script:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, para saber cómo va su reclamo. ' +
      'Sé que esperar es difícil. Si ya le respondió su aseguradora, o no sabe qué sigue, llámeme.',
  },
  adjuster_meeting: {
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, sobre la visita del ajustador',
    script:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, y cuando venga el ajustador' +
      '{% if appointment %} el {{ appointment }}{% endif %}, ' +
      'estaré ahí con mis fotos, para que no tenga que explicarlo usted.',
  },
  claim_update: {
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, hay noticias de su reclamo',
    script:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, con noticias de su reclamo. ' +
      'Prefiero que lo sepa por mí y no por una carta. Llámeme y le explico qué sigue.',
  },
  approved_moving_forward: {
    pageTitle: 'Buenas noticias, {{ recipient.first_name | truncate: 60 }}: seguimos adelante',
    script:
      'Buenas noticias, {{ recipient.first_name }}: aprobaron su reclamo{% if trade %} de {{ trade }}{% endif %}. ' +
      'Le habla {{ member.first_name }}, de {{ organization.name }}, y le acompañaré en todo el proceso. ' +
      'Pronto le llamaré para hablar de los materiales y la fecha de inicio.',
  },
  project_kickoff: {
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, su proyecto está por comenzar',
    script:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, y pronto empezamos ' +
      '{% if trade %}el proyecto de {{ trade }}{% else %}el trabajo en su casa{% endif %} y repasé el plan con el equipo. ' +
      'Estoy a sus órdenes de principio a fin. Llámeme cuando quiera.',
  },
  project_update: {
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, novedades de su proyecto',
    script:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, con una novedad de su proyecto' +
      '{% if trade %} de {{ trade }}{% endif %}. ' +
      'El trabajo avanza y yo cuido cada detalle. Si nota algo, dígame y lo corrijo.',
  },
  project_complete: {
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, su proyecto está terminado',
    script:
      '{{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, y terminamos su proyecto' +
      '{% if trade %} de {{ trade }}{% endif %}. ' +
      'Gracias por recibirnos. Revise todo con calma y, si algo no está bien, llámeme.',
  },
  first_client_meeting: {
    pageTitle:
      '{{ recipient.first_name | truncate: 40 }}, conozca a {{ member.first_name | truncate: 40 }} antes de reunirnos',
    script:
      'Hola, {{ recipient.first_name }}, soy {{ member.first_name }} {{ member.last_name }}, de {{ organization.name }}, y me da ' +
      'gusto que nos reunamos{% if appointment %} el {{ appointment }}{% endif %}. ' +
      'Traiga sus preguntas. Quiero saber qué es importante para usted.',
  },
  buyer_introduction: {
    pageTitle: '{{ recipient.first_name | truncate: 40 }}, conozca a {{ member.first_name | truncate: 40 }}, su agente',
    script:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, para ayudarle a encontrar su ' +
      'próxima casa. Cuando hablemos{% if appointment %} el {{ appointment }}{% endif %}, ' +
      'dígame qué vecindarios prefiere y qué no puede faltar.',
  },
  showing: {
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, antes de ver la casa',
    script:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, y me alegra que veamos esta casa' +
      '{% if appointment %} el {{ appointment }}{% endif %}. ' +
      'Tómese su tiempo, pregunte lo que quiera y deme su opinión.',
  },
  listing_appointment: {
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, antes de hablar de su casa',
    script:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, y cuando le visite' +
      '{% if appointment %} el {{ appointment }}{% endif %}, ' +
      'muéstreme la casa tal como está. Llevaré ventas recientes y hablaremos del precio.',
  },
  follow_up: {
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, ¿cómo va todo?',
    script:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, para saber cómo está desde que ' +
      'hablamos. Quizá ya tenga nuevas preguntas. Llámeme cuando guste y seguimos donde nos quedamos.',
  },
  offer_update: {
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, hay novedades de la oferta',
    script:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, con novedades de la oferta. ' +
      'Los detalles importan, así que prefiero explicárselos por teléfono. Llámeme cuando tenga diez minutos.',
  },
  under_contract: {
    pageTitle: 'Felicidades, {{ recipient.first_name | truncate: 60 }}: ya tenemos contrato',
    script:
      'Felicidades, {{ recipient.first_name }}, ya tenemos contrato. Le habla {{ member.first_name }}, y todos en ' +
      '{{ organization.name }} nos alegramos por usted. ' +
      'De aquí al cierre, cuidaré cada fecha y le avisaré con tiempo cuando necesite algo de usted.',
  },
  closing: {
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, llegamos al cierre',
    script:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, y me da gusto que ' +
      'lleguemos al cierre. Traiga su identificación y, si quiere que le explique alguna página, solo dígame.',
  },
  thank_you: {
    pageTitle: 'Gracias, {{ recipient.first_name | truncate: 60 }}',
    script:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, simplemente para darle las ' +
      'gracias. Su confianza significó mucho para mí. Si algún día necesita un plomero o una opinión honesta, llámeme.',
  },
  custom: {
    pageTitle: '{{ recipient.first_name | truncate: 40 }}, un mensaje de {{ member.first_name | truncate: 40 }}',
    script:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, ' +
      'y quería que lo escuchara de mí directamente, no en otro correo. ' +
      'Si tiene una pregunta o puedo ayudarle en algo, llámeme.',
  },
} as const satisfies Record<string, SpanishTemplates>;

export { DAY, HOUR };

/** A touchpoint that every new organization gets. Title and script are Liquid and also read well without optional values. */
export interface StartingTouchpoint {
  slug: string;
  name: string;
  context: TouchpointContext;
  /** null: both lanes. */
  lane: Lane | null;
  delivery: Responsibility;
  /** How long the video is still useful, unless there is an appointment, which is then the deadline. */
  minutesToRecord: number;
  /** The line above the video. It truncates names: a name may have 100 characters, a title 120. */
  pageTitle: string;
  /** At most 36 words with ordinary names, which leaves a word for a longer one: see SCRIPT_FIT_WORDS. */
  script: string;
  spanish: SpanishTemplates;
}
