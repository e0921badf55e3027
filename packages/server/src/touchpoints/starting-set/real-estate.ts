import type { StartingTouchpoint } from './touchpoint.ts';

// In the order of the client's journey. The scripts fit buyers and sellers alike where the moment does not tell which.
export const realEstateTouchpoints: readonly StartingTouchpoint[] = [
  {
    slug: 'first_client_meeting',
    name: 'First client meeting',
    context: 'appointment',
    lane: null,
    delivery: 'service',
    daysToRecord: 3,
    pageTitle:
      '{{ recipient.first_name | truncate: 40 }}, meet {{ member.first_name | truncate: 40 }} before we sit down',
    script:
      "Hi {{ recipient.first_name }}, I'm {{ member.first_name }} {{ member.last_name }} with {{ organization.name }}, and I'm looking forward " +
      'to meeting you{% if appointment %} {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}. ' +
      "Bring any questions you have. I mostly want to hear what matters to you, and we'll plan from there.",
  },
  {
    slug: 'buyer_introduction',
    name: 'Buyer introduction',
    context: 'appointment',
    lane: null,
    delivery: 'service',
    daysToRecord: 3,
    pageTitle: '{{ recipient.first_name | truncate: 40 }}, meet {{ member.first_name | truncate: 40 }}, your agent',
    script:
      "Hi {{ recipient.first_name }}, {{ member.first_name }} from {{ organization.name }} here, and I'll be helping you find your next home. " +
      'When we talk{% if appointment %} {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}, ' +
      "tell me about the neighborhoods you like, and the things you won't give up.",
  },
  {
    slug: 'showing',
    name: 'Showing',
    context: 'appointment',
    lane: null,
    delivery: 'service',
    daysToRecord: 1,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, before we see the home',
    script:
      "Hi {{ recipient.first_name }}, it's {{ member.first_name }} from {{ organization.name }}, and I'm glad we're going to see this home" +
      '{% if appointment %} {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}. ' +
      "Take your time, open the closets, ask me anything. I'd rather hear what you really think.",
  },
  {
    slug: 'listing_appointment',
    name: 'Listing appointment',
    context: 'appointment',
    lane: null,
    delivery: 'service',
    daysToRecord: 3,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, before we talk about your home',
    script:
      'Hi {{ recipient.first_name }}, {{ member.first_name }} with {{ organization.name }} here. When I come by' +
      '{% if appointment %} {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}, ' +
      "show me around just as it is, no tidying. I'll bring recent sales nearby, and we'll talk about price and timing.",
  },
  {
    slug: 'follow_up',
    name: 'Follow-up',
    context: 'none',
    lane: null,
    delivery: 'service',
    daysToRecord: 7,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, just checking in',
    script:
      "Hi {{ recipient.first_name }}, it's {{ member.first_name }} at {{ organization.name }}, checking in since we last spoke. " +
      'You may have new questions by now, and most people do. ' +
      "Call me whenever it suits you, and we'll pick up right where we left off.",
  },
  {
    slug: 'offer_update',
    name: 'Offer update',
    context: 'status',
    lane: null,
    delivery: 'service',
    daysToRecord: 1,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, there is news on the offer',
    script:
      'Hi {{ recipient.first_name }}, {{ member.first_name }} from {{ organization.name }} with an update on the offer. ' +
      "I'd rather go over it on the phone than in a text, because the details matter. " +
      "Call me when you have ten minutes, and I'll lay out the choices.",
  },
  {
    slug: 'under_contract',
    name: 'Under contract',
    context: 'milestone',
    lane: null,
    delivery: 'service',
    daysToRecord: 3,
    pageTitle: 'Congratulations, {{ recipient.first_name | truncate: 60 }}: we are under contract',
    script:
      "Congratulations, {{ recipient.first_name }}, we're under contract. {{ member.first_name }} here, and all of us at {{ organization.name }} " +
      "are happy for you. From now until closing I'll keep track of every date and every paper. " +
      "When something needs you, I'll let you know early.",
  },
  {
    slug: 'closing',
    name: 'Closing',
    context: 'milestone',
    lane: null,
    delivery: 'service',
    daysToRecord: 3,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, we made it to closing',
    script:
      "Hi {{ recipient.first_name }}, {{ member.first_name }} from {{ organization.name }} here. We've made it to closing, and it's been " +
      'good getting here with you. Bring your ID, take your time with the pages, ' +
      "and if you'd like one explained before you sign, just ask me.",
  },
  {
    slug: 'thank_you',
    name: 'Thank you',
    context: 'none',
    lane: null,
    delivery: 'service',
    daysToRecord: 7,
    pageTitle: 'Thank you, {{ recipient.first_name | truncate: 60 }}',
    script:
      "Hi {{ recipient.first_name }}, it's {{ member.first_name }} from {{ organization.name }}, and this one is simply to say thank you. " +
      'It meant a lot that you trusted me with something this important. ' +
      'If you ever need a painter, a plumber, or an honest opinion, call me.',
  },
  {
    slug: 'custom',
    name: 'Custom message',
    context: 'none',
    lane: null,
    delivery: 'service',
    daysToRecord: 7,
    pageTitle: '{{ recipient.first_name | truncate: 40 }}, a message from {{ member.first_name | truncate: 40 }}',
    script:
      'Hi {{ recipient.first_name }}, {{ member.first_name }} with {{ organization.name }} here. ' +
      'I wanted you to hear from me directly instead of getting another email. ' +
      "If there's a question you've been meaning to ask, or anything I can do for you, just call me.",
  },
];
