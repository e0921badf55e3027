import { DAY, SPANISH, type StartingTouchpoint } from './touchpoint.ts';

// Listed in the order of the customer's journey. Each lane alone is a complete journey too. Scripts never end a sentence with
// the organization's name, which may end in "Co." or "Inc.", and never say "today": recipients may watch them days later.
export const exteriorRemodelingTouchpoints: readonly StartingTouchpoint[] = [
  {
    slug: 'new_appointment',
    name: 'New appointment',
    context: 'appointment',
    lane: 'retail',
    delivery: 'service',
    minutesToRecord: 3 * DAY,
    pageTitle:
      '{{ recipient.first_name | truncate: 40 }}, meet {{ member.first_name | truncate: 40 }} before your visit',
    script:
      "Hi {{ recipient.first_name }}, I'm {{ member.first_name }} from {{ organization.name }}, and I'll be the one coming out" +
      '{% if appointment %} on {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}. ' +
      "We'll look at your " +
      '{{ trade | default: "home" }} together, ' +
      "and you'll get straight answers.",
    spanish: SPANISH.new_appointment,
  },
  {
    slug: 'appointment_confirmation',
    name: 'Appointment confirmation',
    context: 'appointment',
    lane: 'retail',
    delivery: 'service',
    minutesToRecord: DAY,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, we are all set for your appointment',
    script:
      'Hey {{ recipient.first_name }}, {{ member.first_name }} here with {{ organization.name }}, just confirming ' +
      "{% if appointment %}I'll be at your place {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}" +
      '{% else %}my visit to your place{% endif %}. ' +
      "If anything changes, let me know and we'll find a better time.",
    spanish: SPANISH.appointment_confirmation,
  },
  {
    slug: 'new_inspection',
    name: 'New inspection',
    context: 'appointment',
    lane: 'insurance',
    delivery: 'service',
    minutesToRecord: 3 * DAY,
    pageTitle: '{{ recipient.first_name | truncate: 40 }}, meet {{ member.first_name | truncate: 40 }}, your inspector',
    script:
      "Hi {{ recipient.first_name }}, I'm {{ member.first_name }}, and {{ organization.name }} is sending me out to inspect your " +
      '{{ trade | default: "home" }}{% if appointment %} {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}. ' +
      "I'll look for storm damage and show you exactly what I see.",
    spanish: SPANISH.new_inspection,
  },
  {
    slug: 'inspection_confirmation',
    name: 'Inspection confirmation',
    context: 'appointment',
    lane: 'insurance',
    delivery: 'service',
    minutesToRecord: DAY,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, your inspection is confirmed',
    script:
      "{{ recipient.first_name }}, it's {{ member.first_name }} from {{ organization.name }}, and I'm all set for your inspection" +
      '{% if appointment %} on {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}. ' +
      'No need to get anything ready. If your insurance papers are handy, that helps.',
    spanish: SPANISH.inspection_confirmation,
  },
  {
    slug: 'on_my_way',
    name: 'On my way',
    context: 'status',
    lane: null,
    delivery: 'service',
    minutesToRecord: 20,
    pageTitle: '{{ member.first_name | truncate: 60 }} is on the way to you',
    script:
      "Hi {{ recipient.first_name }}, {{ member.first_name }} from {{ organization.name }} here, and I'm on my way to you now. " +
      "This is the face you'll see at the door, so you know it's me. See you soon.",
    spanish: SPANISH.on_my_way,
  },
  {
    slug: 'estimate_follow_up',
    name: 'Estimate follow-up',
    context: 'none',
    lane: 'retail',
    delivery: 'service',
    minutesToRecord: 5 * DAY,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, a word about your estimate',
    script:
      "Hi {{ recipient.first_name }}, it's {{ member.first_name }} from {{ organization.name }}, following up on the estimate for your " +
      '{{ trade | default: "home" }}. Take your time with it. ' +
      "If anything isn't clear, call me, and we'll go through it line by line.",
    spanish: SPANISH.estimate_follow_up,
  },
  {
    slug: 'decision_follow_up',
    name: 'Decision follow-up',
    context: 'none',
    lane: 'retail',
    delivery: 'service',
    minutesToRecord: 7 * DAY,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, take all the time you need',
    script:
      'Hi {{ recipient.first_name }}, {{ member.first_name }} with {{ organization.name }} here. I know picking someone for your ' +
      '{{ trade | default: "home" }} is a big decision, so take your time. ' +
      "If something is holding you back, I'm glad to talk it over.",
    spanish: SPANISH.decision_follow_up,
  },
  {
    slug: 'inspection_findings',
    name: 'Inspection findings',
    context: 'milestone',
    lane: 'insurance',
    delivery: 'service',
    minutesToRecord: DAY,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, here is what we found',
    script:
      "Hi {{ recipient.first_name }}, it's {{ member.first_name }} with {{ organization.name }}, and I just went through the " +
      'inspection photos of your {{ trade | default: "home" }}. ' +
      "Call me when you have a minute, and I'll explain what I found in plain English.",
    spanish: SPANISH.inspection_findings,
  },
  {
    slug: 'claim_follow_up',
    name: 'Claim follow-up',
    context: 'none',
    lane: 'insurance',
    delivery: 'service',
    minutesToRecord: 7 * DAY,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, checking in on your claim',
    script:
      "Hi {{ recipient.first_name }}, it's {{ member.first_name }} at {{ organization.name }}, checking in on your claim. " +
      "I know waiting is hard. If you've heard from your insurance company, or aren't sure what happens next, give me a call.",
    spanish: SPANISH.claim_follow_up,
  },
  {
    slug: 'adjuster_meeting',
    name: 'Adjuster meeting',
    context: 'appointment',
    lane: 'insurance',
    delivery: 'service',
    minutesToRecord: 3 * DAY,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, about your adjuster meeting',
    script:
      'Hi {{ recipient.first_name }}, {{ member.first_name }} from {{ organization.name }} here. When the adjuster comes by' +
      '{% if appointment %} {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}, ' +
      "I'll be right there with my photos, so you won't have to explain it alone.",
    spanish: SPANISH.adjuster_meeting,
  },
  {
    slug: 'claim_update',
    name: 'Claim update',
    context: 'status',
    lane: 'insurance',
    delivery: 'service',
    minutesToRecord: DAY,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, there is news on your claim',
    script:
      'Hi {{ recipient.first_name }}, {{ member.first_name }} at {{ organization.name }} here with news on your claim. ' +
      "I'd rather you hear it from me than from a letter, so call me and I'll explain what comes next.",
    spanish: SPANISH.claim_update,
  },
  {
    slug: 'approved_moving_forward',
    name: 'Approved, moving forward',
    context: 'milestone',
    lane: 'insurance',
    delivery: 'service',
    minutesToRecord: DAY,
    pageTitle: 'Good news, {{ recipient.first_name | truncate: 60 }}: we are moving forward',
    script:
      'Good news, {{ recipient.first_name }}. Your claim{% if trade %} for the {{ trade }}{% endif %} is approved. ' +
      "This is {{ member.first_name }} at {{ organization.name }}, and I'll be with you all the way. " +
      "Next, I'll call you about materials and a start date.",
    spanish: SPANISH.approved_moving_forward,
  },
  {
    slug: 'project_kickoff',
    name: 'Project kickoff',
    context: 'milestone',
    lane: null,
    delivery: 'service',
    minutesToRecord: 3 * DAY,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, your project is about to start',
    script:
      "Hi {{ recipient.first_name }}, {{ member.first_name }} from {{ organization.name }} here. We're about to start on your " +
      '{{ trade | default: "home" }}, ' +
      "and I've gone over the plan with the crew. I'm your person from start to finish, so call me anytime.",
    spanish: SPANISH.project_kickoff,
  },
  {
    slug: 'project_update',
    name: 'Project update',
    context: 'status',
    lane: null,
    delivery: 'service',
    minutesToRecord: 3 * DAY,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, an update on your project',
    script:
      "Hi {{ recipient.first_name }}, it's {{ member.first_name }} at {{ organization.name }} with a quick update on your " +
      '{{ trade | default: "home" }}. ' +
      "The work is moving along, and I'm watching every detail. If you notice anything, tell me and I'll fix it.",
    spanish: SPANISH.project_update,
  },
  {
    slug: 'project_complete',
    name: 'Project complete',
    context: 'milestone',
    lane: null,
    delivery: 'service',
    minutesToRecord: 7 * DAY,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, your project is complete',
    script:
      "{{ recipient.first_name }}, it's {{ member.first_name }} at {{ organization.name }}, " +
      'and the work on your {{ trade | default: "home" }} is finished. Thank you for having us. ' +
      "Take a good look around, and if anything isn't right, call me.",
    spanish: SPANISH.project_complete,
  },
];
