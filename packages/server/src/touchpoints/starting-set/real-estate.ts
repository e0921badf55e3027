import { DAY, HOUR, SPANISH, type StartingTouchpoint } from './touchpoint.ts';

// In the order of the client's journey. The scripts fit buyers and sellers alike where the moment does not tell which.
export const realEstateTouchpoints: readonly StartingTouchpoint[] = [
  {
    slug: 'first_client_meeting',
    name: 'First client meeting',
    context: 'appointment',
    lane: null,
    delivery: 'service',
    minutesToRecord: 3 * DAY,
    pageTitle:
      '{{ recipient.first_name | truncate: 40 }}, meet {{ member.first_name | truncate: 40 }} before we sit down',
    script:
      "Hi {{ recipient.first_name }}, I'm {{ member.first_name }} {{ member.last_name }} with {{ organization.name }}, and I'm looking forward " +
      'to meeting you{% if appointment %} {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}. ' +
      'Bring your questions. I mostly want to hear what matters to you.',
    spanish: SPANISH.first_client_meeting,
  },
  {
    slug: 'buyer_introduction',
    name: 'Buyer introduction',
    context: 'appointment',
    lane: null,
    delivery: 'service',
    minutesToRecord: 3 * DAY,
    pageTitle: '{{ recipient.first_name | truncate: 40 }}, meet {{ member.first_name | truncate: 40 }}, your agent',
    script:
      'Hi {{ recipient.first_name }}, {{ member.first_name }} from {{ organization.name }} here to help you find your next home. ' +
      'When we talk{% if appointment %} {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}, ' +
      "tell me your favorite neighborhoods and what you won't give up.",
    spanish: SPANISH.buyer_introduction,
  },
  {
    slug: 'showing',
    name: 'Showing',
    context: 'appointment',
    lane: null,
    delivery: 'service',
    minutesToRecord: DAY,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, before we see the home',
    script:
      "Hi {{ recipient.first_name }}, it's {{ member.first_name }} from {{ organization.name }}, and I'm glad we're seeing this home" +
      '{% if appointment %} {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}. ' +
      'Take your time, ask me anything, and tell me what you really think.',
    spanish: SPANISH.showing,
  },
  {
    slug: 'listing_appointment',
    name: 'Listing appointment',
    context: 'appointment',
    lane: null,
    delivery: 'service',
    minutesToRecord: 3 * DAY,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, before we talk about your home',
    script:
      'Hi {{ recipient.first_name }}, {{ member.first_name }} with {{ organization.name }} here. When I come by' +
      '{% if appointment %} {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}, ' +
      "show me around just as it is, no tidying. I'll bring recent sales, and we'll talk price.",
    spanish: SPANISH.listing_appointment,
  },
  {
    slug: 'follow_up',
    name: 'Follow-up',
    context: 'none',
    lane: null,
    delivery: 'service',
    minutesToRecord: 7 * DAY,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, just checking in',
    script:
      "Hi {{ recipient.first_name }}, it's {{ member.first_name }} at {{ organization.name }}, checking in since we last spoke. " +
      'You may have new questions by now. ' +
      "Call me whenever it suits you, and we'll pick up where we left off.",
    spanish: SPANISH.follow_up,
  },
  {
    slug: 'offer_update',
    name: 'Offer update',
    context: 'status',
    lane: null,
    delivery: 'service',
    minutesToRecord: 4 * HOUR,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, there is news on the offer',
    script:
      'Hi {{ recipient.first_name }}, {{ member.first_name }} from {{ organization.name }} with an update on the offer. ' +
      "The details matter, so I'd rather go over it on the phone. Call me when you have ten minutes.",
    spanish: SPANISH.offer_update,
  },
  {
    slug: 'under_contract',
    name: 'Under contract',
    context: 'milestone',
    lane: null,
    delivery: 'service',
    minutesToRecord: DAY,
    pageTitle: 'Congratulations, {{ recipient.first_name | truncate: 60 }}: we are under contract',
    script:
      "Congratulations, {{ recipient.first_name }}, we're under contract. {{ member.first_name }} here, and all of us at {{ organization.name }} " +
      "are happy for you. From now until closing, I'll track every date and tell you early when something needs you.",
    spanish: SPANISH.under_contract,
  },
  {
    slug: 'closing',
    name: 'Closing',
    context: 'milestone',
    lane: null,
    delivery: 'service',
    minutesToRecord: DAY,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, we made it to closing',
    script:
      "Hi {{ recipient.first_name }}, {{ member.first_name }} from {{ organization.name }} here. We've made it to closing, and it's been " +
      "good getting here with you. Bring your ID, and if you'd like a page explained, just ask me.",
    spanish: SPANISH.closing,
  },
  {
    slug: 'thank_you',
    name: 'Thank you',
    context: 'none',
    lane: null,
    delivery: 'service',
    minutesToRecord: 7 * DAY,
    pageTitle: 'Thank you, {{ recipient.first_name | truncate: 60 }}',
    script:
      "Hi {{ recipient.first_name }}, it's {{ member.first_name }} from {{ organization.name }}, and this is simply to say thank you. " +
      'Your trust meant a lot to me. If you ever need a plumber or an honest opinion, call me.',
    spanish: SPANISH.thank_you,
  },
  {
    slug: 'custom',
    name: 'Custom message',
    context: 'none',
    lane: null,
    delivery: 'service',
    minutesToRecord: 7 * DAY,
    pageTitle: '{{ recipient.first_name | truncate: 40 }}, a message from {{ member.first_name | truncate: 40 }}',
    script:
      'Hi {{ recipient.first_name }}, {{ member.first_name }} with {{ organization.name }} here. ' +
      'I wanted you to hear from me directly, not in another email. ' +
      "If you have a question, or there's anything I can do, just call me.",
    spanish: SPANISH.custom,
  },
];
