import { DAY_MINUTES as DAY } from '@foreword/contract';
import type { StartingTouchpoint } from '../rules.ts';

// Listed in the order of the customer's journey. Each lane alone is a complete journey too. Scripts never end a sentence with
// the organization's name, which may end in "Co." or "Inc.", and never say "today": recipients may watch them days later.
export const exteriorRemodelingTouchpoints: readonly StartingTouchpoint[] = [
  {
    slug: 'new_appointment',
    name: 'New appointment',
    context: 'appointment',
    lane: 'retail',
    minutes_to_record: 3 * DAY,
    page_title:
      '{{ recipient.first_name | truncate: 40 }}, meet {{ member.first_name | truncate: 40 }} before your visit',
    script:
      "Hi {{ recipient.first_name }}, I'm {{ member.first_name }} from {{ organization.name }}, and I'll be the one coming out" +
      '{% if appointment %} on {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}. ' +
      "We'll look at your " +
      '{{ trade | default: "home" }} together, ' +
      "and you'll get straight answers.",
    page_title_es:
      '{{ recipient.first_name | truncate: 40 }}, conozca a {{ member.first_name | truncate: 40 }} antes de su visita',
    script_es:
      'Hola, {{ recipient.first_name }}, soy {{ member.first_name }}, de {{ organization.name }}, y seré quien le visite' +
      '{% if appointment %} el {{ appointment }}{% endif %}. ' +
      'Juntos revisaremos {% if trade %}el proyecto de {{ trade }}{% else %}su casa{% endif %} y le daré respuestas claras.',
  },
  {
    slug: 'appointment_confirmation',
    name: 'Appointment confirmation',
    context: 'appointment',
    lane: 'retail',
    minutes_to_record: DAY,
    page_title: '{{ recipient.first_name | truncate: 60 }}, we are all set for your appointment',
    script:
      'Hey {{ recipient.first_name }}, {{ member.first_name }} here with {{ organization.name }}, just confirming ' +
      "{% if appointment %}I'll be at your place {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}" +
      '{% else %}my visit to your place{% endif %}. ' +
      "If anything changes, let me know and we'll find a better time.",
    page_title_es: '{{ recipient.first_name | truncate: 60 }}, todo listo para su cita',
    script_es:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, para confirmar ' +
      '{% if appointment %}que estaré en su casa el {{ appointment }}{% else %}mi visita a su casa{% endif %}. ' +
      'Si algo cambia, avíseme y buscamos otro horario.',
  },
  {
    slug: 'new_inspection',
    name: 'New inspection',
    context: 'appointment',
    lane: 'insurance',
    minutes_to_record: 3 * DAY,
    page_title:
      '{{ recipient.first_name | truncate: 40 }}, meet {{ member.first_name | truncate: 40 }}, your inspector',
    script:
      "Hi {{ recipient.first_name }}, I'm {{ member.first_name }}, and {{ organization.name }} is sending me out to inspect your " +
      '{{ trade | default: "home" }}{% if appointment %} {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}. ' +
      "I'll look for storm damage and show you exactly what I see.",
    page_title_es:
      '{{ recipient.first_name | truncate: 40 }}, conozca a {{ member.first_name | truncate: 40 }}, que hará su inspección',
    script_es:
      'Hola, {{ recipient.first_name }}, soy {{ member.first_name }}, y {{ organization.name }} me envía a inspeccionar su casa' +
      '{% if appointment %} el {{ appointment }}{% endif %}. ' +
      'Buscaré daños por tormenta y le mostraré exactamente lo que encuentre.',
  },
  {
    slug: 'inspection_confirmation',
    name: 'Inspection confirmation',
    context: 'appointment',
    lane: 'insurance',
    minutes_to_record: DAY,
    page_title: '{{ recipient.first_name | truncate: 60 }}, your inspection is confirmed',
    script:
      "{{ recipient.first_name }}, it's {{ member.first_name }} from {{ organization.name }}, and I'm all set for your inspection" +
      '{% if appointment %} on {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}. ' +
      'No need to get anything ready. If your insurance papers are handy, that helps.',
    page_title_es: '{{ recipient.first_name | truncate: 60 }}, su inspección está confirmada',
    script_es:
      '{{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, con todo listo para su inspección' +
      '{% if appointment %} el {{ appointment }}{% endif %}. ' +
      'Solo tenga a mano los papeles del seguro, si puede.',
  },
  {
    slug: 'on_my_way',
    name: 'On my way',
    context: 'status',
    minutes_to_record: 20,
    page_title: '{{ member.first_name | truncate: 60 }} is on the way to you',
    script:
      "Hi {{ recipient.first_name }}, {{ member.first_name }} from {{ organization.name }} here, and I'm on my way to you now. " +
      "This is the face you'll see at the door, so you know it's me. See you soon.",
    page_title_es: '{{ member.first_name | truncate: 60 }} va en camino',
    script_es:
      'Hola, {{ recipient.first_name }}, soy {{ member.first_name }}, de {{ organization.name }}, y ya voy en camino. ' +
      'Esta es la cara que verá en su puerta, para que sepa que soy yo. Nos vemos pronto.',
  },
  {
    slug: 'estimate_follow_up',
    name: 'Estimate follow-up',
    context: 'none',
    lane: 'retail',
    minutes_to_record: 5 * DAY,
    page_title: '{{ recipient.first_name | truncate: 60 }}, a word about your estimate',
    script:
      "Hi {{ recipient.first_name }}, it's {{ member.first_name }} from {{ organization.name }}, following up on the estimate for your " +
      '{{ trade | default: "home" }}. Take your time with it. ' +
      "If anything isn't clear, call me, and we'll go through it line by line.",
    page_title_es: '{{ recipient.first_name | truncate: 60 }}, unas palabras sobre su presupuesto',
    script_es:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, sobre el presupuesto ' +
      '{% if trade %}de {{ trade }}{% else %}para su casa{% endif %}. Tómese su tiempo. ' +
      'Si algo no está claro, llámeme y lo revisamos línea por línea.',
  },
  {
    slug: 'decision_follow_up',
    name: 'Decision follow-up',
    context: 'none',
    lane: 'retail',
    minutes_to_record: 7 * DAY,
    page_title: '{{ recipient.first_name | truncate: 60 }}, take all the time you need',
    script:
      'Hi {{ recipient.first_name }}, {{ member.first_name }} with {{ organization.name }} here. I know picking someone for your ' +
      '{{ trade | default: "home" }} is a big decision, so take your time. ' +
      "If something is holding you back, I'm glad to talk it over.",
    page_title_es: '{{ recipient.first_name | truncate: 60 }}, tómese todo el tiempo que necesite',
    script_es:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, y sé que elegir a quién ' +
      'confiarle {% if trade %}el proyecto de {{ trade }}{% else %}su casa{% endif %} es una decisión importante, así que tómese ' +
      'su tiempo. Si algo le preocupa, lo conversamos.',
  },
  {
    slug: 'inspection_findings',
    name: 'Inspection findings',
    context: 'milestone',
    lane: 'insurance',
    minutes_to_record: DAY,
    page_title: '{{ recipient.first_name | truncate: 60 }}, here is what we found',
    script:
      "Hi {{ recipient.first_name }}, it's {{ member.first_name }} with {{ organization.name }}, and I just went through the " +
      'inspection photos of your {{ trade | default: "home" }}. ' +
      "Call me when you have a minute, and I'll explain what I found in plain English.",
    page_title_es: '{{ recipient.first_name | truncate: 60 }}, esto es lo que encontramos',
    script_es:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, y acabo de revisar las fotos ' +
      'de la inspección de su casa. Llámeme cuando tenga un minuto y le explico en palabras sencillas lo que encontré.',
  },
  {
    slug: 'claim_follow_up',
    name: 'Claim follow-up',
    context: 'none',
    lane: 'insurance',
    minutes_to_record: 7 * DAY,
    page_title: '{{ recipient.first_name | truncate: 60 }}, checking in on your claim',
    script:
      "Hi {{ recipient.first_name }}, it's {{ member.first_name }} at {{ organization.name }}, checking in on your claim. " +
      "I know waiting is hard. If you've heard from your insurance company, or aren't sure what happens next, give me a call.",
    page_title_es: '{{ recipient.first_name | truncate: 60 }}, ¿cómo va su reclamo?',
    script_es:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, para saber cómo va su reclamo. ' +
      'Sé que esperar es difícil. Si ya le respondió su aseguradora, o no sabe qué sigue, llámeme.',
  },
  {
    slug: 'adjuster_meeting',
    name: 'Adjuster meeting',
    context: 'appointment',
    lane: 'insurance',
    minutes_to_record: 3 * DAY,
    page_title: '{{ recipient.first_name | truncate: 60 }}, about your adjuster meeting',
    script:
      'Hi {{ recipient.first_name }}, {{ member.first_name }} from {{ organization.name }} here. When the adjuster comes by' +
      '{% if appointment %} {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}, ' +
      "I'll be right there with my photos, so you won't have to explain it alone.",
    page_title_es: '{{ recipient.first_name | truncate: 60 }}, sobre la visita del ajustador',
    script_es:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, y cuando venga el ajustador' +
      '{% if appointment %} el {{ appointment }}{% endif %}, ' +
      'estaré ahí con mis fotos, para que no tenga que explicarlo usted.',
  },
  {
    slug: 'claim_update',
    name: 'Claim update',
    context: 'status',
    lane: 'insurance',
    minutes_to_record: DAY,
    page_title: '{{ recipient.first_name | truncate: 60 }}, there is news on your claim',
    script:
      'Hi {{ recipient.first_name }}, {{ member.first_name }} at {{ organization.name }} here with news on your claim. ' +
      "I'd rather you hear it from me than from a letter, so call me and I'll explain what comes next.",
    page_title_es: '{{ recipient.first_name | truncate: 60 }}, hay noticias de su reclamo',
    script_es:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, con noticias de su reclamo. ' +
      'Prefiero que lo sepa por mí y no por una carta. Llámeme y le explico qué sigue.',
  },
  {
    slug: 'approved_moving_forward',
    name: 'Approved, moving forward',
    context: 'milestone',
    lane: 'insurance',
    minutes_to_record: DAY,
    page_title: 'Good news, {{ recipient.first_name | truncate: 60 }}: we are moving forward',
    script:
      'Good news, {{ recipient.first_name }}. Your claim{% if trade %} for the {{ trade }}{% endif %} is approved. ' +
      "This is {{ member.first_name }} at {{ organization.name }}, and I'll be with you all the way. " +
      "Next, I'll call you about materials and a start date.",
    page_title_es: 'Buenas noticias, {{ recipient.first_name | truncate: 60 }}: seguimos adelante',
    script_es:
      'Buenas noticias, {{ recipient.first_name }}: aprobaron su reclamo{% if trade %} de {{ trade }}{% endif %}. ' +
      'Le habla {{ member.first_name }}, de {{ organization.name }}, y le acompañaré en todo el proceso. ' +
      'Pronto le llamaré para hablar de los materiales y la fecha de inicio.',
  },
  {
    slug: 'project_kickoff',
    name: 'Project kickoff',
    context: 'milestone',
    minutes_to_record: 3 * DAY,
    page_title: '{{ recipient.first_name | truncate: 60 }}, your project is about to start',
    script:
      "Hi {{ recipient.first_name }}, {{ member.first_name }} from {{ organization.name }} here. We're about to start on your " +
      '{{ trade | default: "home" }}, ' +
      "and I've gone over the plan with the crew. I'm your person from start to finish, so call me anytime.",
    page_title_es: '{{ recipient.first_name | truncate: 60 }}, su proyecto está por comenzar',
    script_es:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, y pronto empezamos ' +
      '{% if trade %}el proyecto de {{ trade }}{% else %}el trabajo en su casa{% endif %} y repasé el plan con el equipo. ' +
      'Estoy a sus órdenes de principio a fin. Llámeme cuando quiera.',
  },
  {
    slug: 'project_update',
    name: 'Project update',
    context: 'status',
    minutes_to_record: 3 * DAY,
    page_title: '{{ recipient.first_name | truncate: 60 }}, an update on your project',
    script:
      "Hi {{ recipient.first_name }}, it's {{ member.first_name }} at {{ organization.name }} with a quick update on your " +
      '{{ trade | default: "home" }}. ' +
      "The work is moving along, and I'm watching every detail. If you notice anything, tell me and I'll fix it.",
    page_title_es: '{{ recipient.first_name | truncate: 60 }}, novedades de su proyecto',
    script_es:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, con una novedad de su proyecto' +
      '{% if trade %} de {{ trade }}{% endif %}. ' +
      'El trabajo avanza y yo cuido cada detalle. Si nota algo, dígame y lo corrijo.',
  },
  {
    slug: 'project_complete',
    name: 'Project complete',
    context: 'milestone',
    minutes_to_record: 7 * DAY,
    page_title: '{{ recipient.first_name | truncate: 60 }}, your project is complete',
    script:
      "{{ recipient.first_name }}, it's {{ member.first_name }} at {{ organization.name }}, " +
      'and the work on your {{ trade | default: "home" }} is finished. Thank you for having us. ' +
      "Take a good look around, and if anything isn't right, call me.",
    page_title_es: '{{ recipient.first_name | truncate: 60 }}, su proyecto está terminado',
    script_es:
      '{{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, y terminamos su proyecto' +
      '{% if trade %} de {{ trade }}{% endif %}. ' +
      'Gracias por recibirnos. Revise todo con calma y, si algo no está bien, llámeme.',
  },
];
