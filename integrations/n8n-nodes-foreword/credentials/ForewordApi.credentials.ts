import type {
  IAuthenticateGeneric,
  ICredentialTestRequest,
  ICredentialType,
  Icon,
  INodeProperties,
} from 'n8n-workflow';

export class ForewordApi implements ICredentialType {
  name = 'forewordApi';

  displayName = 'Foreword API';

  icon: Icon = { light: 'file:../icons/foreword.svg', dark: 'file:../icons/foreword.dark.svg' };

  documentationUrl = 'https://www.npmjs.com/package/n8n-nodes-foreword';

  properties: INodeProperties[] = [
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'e.g. https://foreword.example.com',
      description: 'The address of your Foreword service, without a path',
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description:
        'In the Foreword console: Developers, Keys. The scope "full" allows every operation and the trigger; "events" allows touchpoint events only.',
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
  };

  test: ICredentialTestRequest = {
    request: { baseURL: '={{$credentials.baseUrl.replace(/\\/+$/, "")}}', url: '/v1/touchpoints' },
  };
}
