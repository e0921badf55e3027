import { Id, ScriptLanguage, Slug, TouchpointContext } from './fields.ts';
import { define, idParams, ListOf, listExample, returns } from './operation.ts';
import { Component, type Static, Type } from './schema.ts';

const Touchpoint = Component(
  'Touchpoint',
  "A business event for which the organization requests an intro. The organization's team edits it.",
  {
    id: Id('tp', 'Identifier of the touchpoint.'),
    object: Type.Literal('touchpoint'),
    slug: Slug,
    name: Type.String({ description: 'Name of the touchpoint.' }),
    context: TouchpointContext,
    active: Type.Boolean({ description: 'False when the organization turned it off; events for it are rejected.' }),
    languages: Type.Array(ScriptLanguage, { description: 'The languages that it has a script in.' }),
  },
);

export type Touchpoint = Static<typeof Touchpoint>;

const touchpointExample: Touchpoint = {
  id: 'tp_01kgfdw8fkw00dntbpj4ffebm5',
  object: 'touchpoint',
  slug: 'new_appointment',
  name: 'New appointment',
  context: 'appointment',
  active: true,
  languages: ['en', 'es'],
};

export const TOUCHPOINT_OPERATIONS = define('Touchpoints', {
  listTouchpoints: {
    route: 'GET /v1/touchpoints',
    summary: 'List touchpoints',
    description:
      "The organization's touchpoints in its own order, without pages. Read this list instead of hard-coding it.",
    allowsEventKeys: true,
    success: returns(200, ListOf(Touchpoint), 'All touchpoints.', listExample(touchpointExample)),
  },
  retrieveTouchpoint: {
    route: 'GET /v1/touchpoints/{id}',
    summary: 'Retrieve a touchpoint',
    description: 'Returns a touchpoint by its id. Slugs are not accepted here.',
    allowsEventKeys: true,
    params: idParams('The touchpoint identifier.', touchpointExample),
    success: returns(200, Touchpoint, 'The touchpoint.', touchpointExample),
  },
});
