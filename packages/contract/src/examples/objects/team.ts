import type { Member, Touchpoint } from '../../resources.ts';

/** The owner of the demo organization, who records most of the examples. */
export const ANA: Member = {
  id: 'mem_01kgfdw8fpw00kk139a7nqyann',
  object: 'member',
  external_id: 'rep_17',
  first_name: 'Ana',
  last_name: 'Ng',
  email: 'ana@acme.example',
  phone: '+15005550117',
  title: 'project manager',
  title_es: 'gerente de proyecto',
  lanes: [],
  active: true,
  likeness_withdrawn_at: null,
  environment: 'test',
  created_at: '2026-02-02T15:00:00.118Z',
};

export const MARCUS: Member = {
  id: 'mem_01kgj4wqd3w005ye26pf4tp1tw',
  object: 'member',
  external_id: 'rep_22',
  first_name: 'Marcus',
  last_name: 'Bell',
  email: 'marcus@acme.example',
  phone: null,
  title: null,
  title_es: null,
  lanes: ['insurance'],
  active: true,
  likeness_withdrawn_at: null,
  environment: 'test',
  created_at: '2026-02-03T16:20:41.507Z',
};

/** As a CRM creates her. */
export const ROSA: Member = {
  id: 'mem_01kha5q2zdw00b1w4n6xk7r9ce',
  object: 'member',
  external_id: 'rep_31',
  first_name: 'Rosa',
  last_name: 'Diaz',
  email: 'rosa@acme.example',
  phone: '+15005550131',
  title: 'estimator',
  title_es: null,
  lanes: ['retail'],
  active: true,
  likeness_withdrawn_at: null,
  environment: 'test',
  created_at: '2026-02-12T21:40:03.901Z',
};

/** Left the company. */
export const JUNE: Member = {
  id: 'mem_01kh204472w00pf1qr3xf8nd5v',
  object: 'member',
  external_id: null,
  first_name: 'June',
  last_name: 'Park',
  email: 'june@acme.example',
  phone: '+13125550161',
  title: null,
  title_es: null,
  lanes: ['retail'],
  active: false,
  likeness_withdrawn_at: null,
  environment: 'test',
  created_at: '2026-02-09T20:05:12.034Z',
};

export const NEW_APPOINTMENT: Touchpoint = {
  id: 'tp_01kgfdw8fkw00dntbpj4ffebm5',
  object: 'touchpoint',
  slug: 'new_appointment',
  name: 'New appointment',
  context: 'appointment',
  active: true,
  languages: ['en', 'es'],
};

export const ON_MY_WAY: Touchpoint = {
  id: 'tp_01kgfdw8fkw02bw0995zkkktna',
  object: 'touchpoint',
  slug: 'on_my_way',
  name: 'On my way',
  context: 'status',
  active: true,
  languages: ['en', 'es'],
};

export const ESTIMATE_FOLLOW_UP: Touchpoint = {
  id: 'tp_01kgfdw8fkw03zzf3ttb5361ms',
  object: 'touchpoint',
  slug: 'estimate_follow_up',
  name: 'Estimate follow-up',
  context: 'none',
  active: true,
  languages: ['en', 'es'],
};

export const PROJECT_UPDATE: Touchpoint = {
  id: 'tp_01kgfdw8fkw04tq0g6j05e8g49',
  object: 'touchpoint',
  slug: 'project_update',
  name: 'Project update',
  context: 'status',
  active: true,
  languages: ['en', 'es'],
};

export const TURNED_OFF: Touchpoint = {
  id: 'tp_01kgfdw8fkw013syfdw1dda8yc',
  object: 'touchpoint',
  slug: 'appointment_confirmation',
  name: 'Appointment confirmation',
  context: 'appointment',
  active: false,
  languages: ['en', 'es'],
};
