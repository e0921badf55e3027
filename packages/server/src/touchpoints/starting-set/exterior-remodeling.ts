import type { StartingTouchpoint } from './touchpoint.ts';

// Listed in the order of the customer's journey. Each lane alone is a complete journey too. Scripts never end a sentence with
// the organization's name, which may end in "Co." or "Inc.", and never say "today": recipients may watch them days later.
export const exteriorRemodelingTouchpoints: readonly StartingTouchpoint[] = [
  {
    slug: 'new_appointment',
    name: 'New appointment',
    context: 'appointment',
    lane: 'retail',
    delivery: 'service',
    daysToRecord: 3,
    pageTitle:
      '{{ recipient.first_name | truncate: 40 }}, meet {{ member.first_name | truncate: 40 }} before your visit',
    script:
      "Hi {{ recipient.first_name }}, I'm {{ member.first_name }} from {{ organization.name }}, and I'll be the one coming out" +
      '{% if appointment %} on {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}. ' +
      "We'll walk around the house together, talk through what you have in mind{% if trade %} for the {{ trade }}{% endif %}, " +
      "and you'll get straight answers.",
  },
  {
    slug: 'appointment_confirmation',
    name: 'Appointment confirmation',
    context: 'appointment',
    lane: 'retail',
    delivery: 'service',
    daysToRecord: 1,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, we are all set for your appointment',
    script:
      'Hey {{ recipient.first_name }}, {{ member.first_name }} here with {{ organization.name }}, just confirming ' +
      "{% if appointment %}I'll be at your place {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}" +
      '{% else %}my visit to your place{% endif %}. Plan on about an hour. ' +
      "If anything changes on your end, let me know and we'll find a better time.",
  },
  {
    slug: 'new_inspection',
    name: 'New inspection',
    context: 'appointment',
    lane: 'insurance',
    delivery: 'service',
    daysToRecord: 3,
    pageTitle: '{{ recipient.first_name | truncate: 40 }}, meet {{ member.first_name | truncate: 40 }}, your inspector',
    script:
      'Hi {{ recipient.first_name }}, my name is {{ member.first_name }}, and {{ organization.name }} is sending me out to inspect your ' +
      '{{ trade | default: "home" }}{% if appointment %} {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}. ' +
      "I'll look for storm damage, take photos, and show you exactly what I see, so nothing is left to guessing.",
  },
  {
    slug: 'inspection_confirmation',
    name: 'Inspection confirmation',
    context: 'appointment',
    lane: 'insurance',
    delivery: 'service',
    daysToRecord: 1,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, your inspection is confirmed',
    script:
      "{{ recipient.first_name }}, it's {{ member.first_name }} from {{ organization.name }}, and I'm all set for your inspection" +
      '{% if appointment %} on {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}. ' +
      "You don't need to get anything ready. If your insurance papers are handy, that helps, but we'll manage without them.",
  },
  {
    slug: 'on_my_way',
    name: 'On my way',
    context: 'status',
    lane: null,
    delivery: 'service',
    daysToRecord: 1,
    pageTitle: '{{ member.first_name | truncate: 60 }} is on the way to you',
    script:
      "Hi {{ recipient.first_name }}, {{ member.first_name }} from {{ organization.name }} here, and I'm on my way to you now. " +
      "This is the face you'll see at the door, so you know it's me. No need to have anything ready. See you soon.",
  },
  {
    slug: 'estimate_follow_up',
    name: 'Estimate follow-up',
    context: 'none',
    lane: 'retail',
    delivery: 'service',
    daysToRecord: 5,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, a word about your estimate',
    script:
      "Hi {{ recipient.first_name }}, it's {{ member.first_name }} from {{ organization.name }}, following up on the estimate for your " +
      '{{ trade | default: "home" }}. Read it at your own pace. ' +
      "If a number or a material isn't clear, call me and I'll go through it with you line by line.",
  },
  {
    slug: 'decision_follow_up',
    name: 'Decision follow-up',
    context: 'none',
    lane: 'retail',
    delivery: 'service',
    daysToRecord: 7,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, take all the time you need',
    script:
      'Hi {{ recipient.first_name }}, {{ member.first_name }} with {{ organization.name }} here. I know picking someone to work on your ' +
      '{{ trade | default: "home" }} is a big decision, so take your time. ' +
      "If something is still holding you back, I'd be glad to talk it over, no pressure either way.",
  },
  {
    slug: 'inspection_findings',
    name: 'Inspection findings',
    context: 'milestone',
    lane: 'insurance',
    delivery: 'service',
    daysToRecord: 3,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, here is what we found',
    script:
      'Hi {{ recipient.first_name }}, this is {{ member.first_name }} with {{ organization.name }}, and I just finished going through the ' +
      'inspection photos of your {{ trade | default: "home" }}. ' +
      "I'd like to explain what I found in plain English. " +
      "Call me when you have a few minutes, and we'll go over them.",
  },
  {
    slug: 'claim_follow_up',
    name: 'Claim follow-up',
    context: 'none',
    lane: 'insurance',
    delivery: 'service',
    daysToRecord: 7,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, checking in on your claim',
    script:
      "Hi {{ recipient.first_name }}, it's {{ member.first_name }} at {{ organization.name }}, checking in on your claim. " +
      "I know the waiting wears on you. If you've heard from your insurance company, or you aren't sure what happens next, " +
      "give me a call and we'll talk it through.",
  },
  {
    slug: 'adjuster_meeting',
    name: 'Adjuster meeting',
    context: 'appointment',
    lane: 'insurance',
    delivery: 'service',
    daysToRecord: 3,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, about your adjuster meeting',
    script:
      'Hi {{ recipient.first_name }}, {{ member.first_name }} from {{ organization.name }} here. When the adjuster comes by' +
      '{% if appointment %} {{ appointment.weekday }}, {{ appointment.date }}, at {{ appointment.time }}{% endif %}, ' +
      "I'll be right there with you. I'll bring my photos and point out what I saw, so you won't have to explain it alone.",
  },
  {
    slug: 'claim_update',
    name: 'Claim update',
    context: 'status',
    lane: 'insurance',
    delivery: 'service',
    daysToRecord: 3,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, there is news on your claim',
    script:
      'Hi {{ recipient.first_name }}, {{ member.first_name }} at {{ organization.name }} here with news on your claim. ' +
      "I'd rather you hear it from me than from a letter, so call when it suits you. " +
      "I'll explain where it stands and what comes next{% if trade %} for the {{ trade }}{% endif %}.",
  },
  {
    slug: 'approved_moving_forward',
    name: 'Approved, moving forward',
    context: 'milestone',
    lane: 'insurance',
    delivery: 'service',
    daysToRecord: 3,
    pageTitle: 'Good news, {{ recipient.first_name | truncate: 60 }}: we are moving forward',
    script:
      'Good news, {{ recipient.first_name }}. Your claim is approved, and we are moving forward' +
      '{% if trade %} with the {{ trade }}{% endif %}. ' +
      'This is {{ member.first_name }} at {{ organization.name }}, ' +
      "and I'll stay with you all the way. Next we choose materials and a start date, so I'll call you about both.",
  },
  {
    slug: 'project_kickoff',
    name: 'Project kickoff',
    context: 'milestone',
    lane: null,
    delivery: 'service',
    daysToRecord: 3,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, your project is about to start',
    script:
      "Hi {{ recipient.first_name }}, {{ member.first_name }} from {{ organization.name }} here. We're about to start on your " +
      '{{ trade | default: "home" }}, ' +
      "and I've gone over the plan with the crew. It will be noisy for a while. " +
      "I'm your person from start to finish, so call me about anything.",
  },
  {
    slug: 'project_update',
    name: 'Project update',
    context: 'status',
    lane: null,
    delivery: 'service',
    daysToRecord: 3,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, an update on your project',
    script:
      "Hi {{ recipient.first_name }}, it's {{ member.first_name }} at {{ organization.name }} with a quick update on your " +
      '{{ trade | default: "home" }}. ' +
      "The work is moving along, and I'm keeping an eye on the details myself. " +
      "If you notice anything we should check, tell me and I'll see to it.",
  },
  {
    slug: 'project_complete',
    name: 'Project complete',
    context: 'milestone',
    lane: null,
    delivery: 'service',
    daysToRecord: 7,
    pageTitle: '{{ recipient.first_name | truncate: 60 }}, your project is complete',
    script:
      "{{ recipient.first_name }}, it's {{ member.first_name }} at {{ organization.name }}, " +
      'and the work on your {{ trade | default: "home" }} is finished. Thank you for having us. ' +
      'Take a walk around and give everything a good look. ' +
      "If anything isn't right, call me, and I'll see that it's fixed.",
  },
];
