import { DAY_MINUTES as DAY, HOUR_MINUTES as HOUR } from '@foreword/contract';
import type { StartingTouchpoint } from '../rules.ts';

// In the order of the client's journey. The scripts fit buyers and sellers alike where the moment does not tell which.
export const realEstateTouchpoints: readonly StartingTouchpoint[] = [
  {
    slug: 'first_client_meeting',
    name: 'First client meeting',
    context: 'appointment',
    minutes_to_record: 3 * DAY,
    page_title:
      '{{ recipient.first_name | truncate: 40 }}, meet {{ member.first_name | truncate: 40 }} before we sit down',
    script:
      "Hi {{ recipient.first_name }}, I'm {{ member.first_name }} {{ member.last_name }} with {{ organization.name }}, and I'm looking forward " +
      'to meeting you{% if appointment %} {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}. ' +
      'Bring your questions. I mostly want to hear what matters to you.',
    page_title_es:
      '{{ recipient.first_name | truncate: 40 }}, conozca a {{ member.first_name | truncate: 40 }} antes de reunirnos',
    script_es:
      'Hola, {{ recipient.first_name }}, soy {{ member.first_name }} {{ member.last_name }}, de {{ organization.name }}, y me da ' +
      'gusto que nos reunamos{% if appointment %} el {{ appointment }}{% endif %}. ' +
      'Traiga sus preguntas. Quiero saber qué es importante para usted.',
  },
  {
    slug: 'buyer_introduction',
    name: 'Buyer introduction',
    context: 'appointment',
    minutes_to_record: 3 * DAY,
    page_title: '{{ recipient.first_name | truncate: 40 }}, meet {{ member.first_name | truncate: 40 }}, your agent',
    script:
      'Hi {{ recipient.first_name }}, {{ member.first_name }} from {{ organization.name }} here to help you find your next home. ' +
      'When we talk{% if appointment %} {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}, ' +
      "tell me your favorite neighborhoods and what you won't give up.",
    page_title_es:
      '{{ recipient.first_name | truncate: 40 }}, conozca a {{ member.first_name | truncate: 40 }}, su agente',
    script_es:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, para ayudarle a encontrar su ' +
      'próxima casa. Cuando hablemos{% if appointment %} el {{ appointment }}{% endif %}, ' +
      'dígame qué vecindarios prefiere y qué no puede faltar.',
  },
  {
    slug: 'showing',
    name: 'Showing',
    context: 'appointment',
    minutes_to_record: DAY,
    page_title: '{{ recipient.first_name | truncate: 60 }}, before we see the home',
    script:
      "Hi {{ recipient.first_name }}, it's {{ member.first_name }} from {{ organization.name }}, and I'm glad we're seeing this home" +
      '{% if appointment %} {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}. ' +
      'Take your time, ask me anything, and tell me what you really think.',
    page_title_es: '{{ recipient.first_name | truncate: 60 }}, antes de ver la casa',
    script_es:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, y me alegra que veamos esta casa' +
      '{% if appointment %} el {{ appointment }}{% endif %}. ' +
      'Tómese su tiempo, pregunte lo que quiera y deme su opinión.',
  },
  {
    slug: 'listing_appointment',
    name: 'Listing appointment',
    context: 'appointment',
    minutes_to_record: 3 * DAY,
    page_title: '{{ recipient.first_name | truncate: 60 }}, before we talk about your home',
    script:
      'Hi {{ recipient.first_name }}, {{ member.first_name }} with {{ organization.name }} here. When I come by' +
      '{% if appointment %} {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}, ' +
      "show me around just as it is, no tidying. I'll bring recent sales, and we'll talk price.",
    page_title_es: '{{ recipient.first_name | truncate: 60 }}, antes de hablar de su casa',
    script_es:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, y cuando le visite' +
      '{% if appointment %} el {{ appointment }}{% endif %}, ' +
      'muéstreme la casa tal como está. Llevaré ventas recientes y hablaremos del precio.',
  },
  {
    slug: 'follow_up',
    name: 'Follow-up',
    context: 'none',
    minutes_to_record: 7 * DAY,
    page_title: '{{ recipient.first_name | truncate: 60 }}, just checking in',
    script:
      "Hi {{ recipient.first_name }}, it's {{ member.first_name }} at {{ organization.name }}, checking in since we last spoke. " +
      'You may have new questions by now. ' +
      "Call me whenever it suits you, and we'll pick up where we left off.",
    page_title_es: '{{ recipient.first_name | truncate: 60 }}, ¿cómo va todo?',
    script_es:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, para saber cómo está desde que ' +
      'hablamos. Quizá ya tenga nuevas preguntas. Llámeme cuando guste y seguimos donde nos quedamos.',
  },
  {
    slug: 'offer_update',
    name: 'Offer update',
    context: 'status',
    minutes_to_record: 4 * HOUR,
    page_title: '{{ recipient.first_name | truncate: 60 }}, there is news on the offer',
    script:
      'Hi {{ recipient.first_name }}, {{ member.first_name }} from {{ organization.name }} with an update on the offer. ' +
      "The details matter, so I'd rather go over it on the phone. Call me when you have ten minutes.",
    page_title_es: '{{ recipient.first_name | truncate: 60 }}, hay novedades de la oferta',
    script_es:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, con novedades de la oferta. ' +
      'Los detalles importan, así que prefiero explicárselos por teléfono. Llámeme cuando tenga diez minutos.',
  },
  {
    slug: 'under_contract',
    name: 'Under contract',
    context: 'milestone',
    minutes_to_record: DAY,
    page_title: 'Congratulations, {{ recipient.first_name | truncate: 60 }}: we are under contract',
    script:
      "Congratulations, {{ recipient.first_name }}, we're under contract. {{ member.first_name }} here, and all of us at {{ organization.name }} " +
      "are happy for you. From now until closing, I'll track every date and tell you early when something needs you.",
    page_title_es: 'Felicidades, {{ recipient.first_name | truncate: 60 }}: ya tenemos contrato',
    script_es:
      'Felicidades, {{ recipient.first_name }}, ya tenemos contrato. Le habla {{ member.first_name }}, y todos en ' +
      '{{ organization.name }} nos alegramos por usted. ' +
      'De aquí al cierre, cuidaré cada fecha y le avisaré con tiempo cuando necesite algo de usted.',
  },
  {
    slug: 'closing',
    name: 'Closing',
    context: 'milestone',
    minutes_to_record: DAY,
    page_title: '{{ recipient.first_name | truncate: 60 }}, we made it to closing',
    script:
      "Hi {{ recipient.first_name }}, {{ member.first_name }} from {{ organization.name }} here. We've made it to closing, and it's been " +
      "good getting here with you. Bring your ID, and if you'd like a page explained, just ask me.",
    page_title_es: '{{ recipient.first_name | truncate: 60 }}, llegamos al cierre',
    script_es:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, y me da gusto que ' +
      'lleguemos al cierre. Traiga su identificación y, si quiere que le explique alguna página, solo dígame.',
  },
  {
    slug: 'thank_you',
    name: 'Thank you',
    context: 'none',
    minutes_to_record: 7 * DAY,
    page_title: 'Thank you, {{ recipient.first_name | truncate: 60 }}',
    script:
      "Hi {{ recipient.first_name }}, it's {{ member.first_name }} from {{ organization.name }}, and this is simply to say thank you. " +
      'Your trust meant a lot to me. If you ever need a plumber or an honest opinion, call me.',
    page_title_es: 'Gracias, {{ recipient.first_name | truncate: 60 }}',
    script_es:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, simplemente para darle las ' +
      'gracias. Su confianza significó mucho para mí. Si algún día necesita un plomero o una opinión honesta, llámeme.',
  },
  {
    slug: 'custom',
    name: 'Custom message',
    context: 'none',
    minutes_to_record: 7 * DAY,
    page_title: '{{ recipient.first_name | truncate: 40 }}, a message from {{ member.first_name | truncate: 40 }}',
    script:
      'Hi {{ recipient.first_name }}, {{ member.first_name }} with {{ organization.name }} here. ' +
      'I wanted you to hear from me directly, not in another email. ' +
      "If you have a question, or there's anything I can do, just call me.",
    page_title_es: '{{ recipient.first_name | truncate: 40 }}, un mensaje de {{ member.first_name | truncate: 40 }}',
    script_es:
      'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, ' +
      'y quería que lo escuchara de mí directamente, no en otro correo. ' +
      'Si tiene una pregunta o puedo ayudarle en algo, llámeme.',
  },
];
