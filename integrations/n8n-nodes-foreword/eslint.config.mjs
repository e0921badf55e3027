// The configuration of n8n's own tool, @n8n/node-cli 0.48. The tool itself would install 550 MB more, so only its rules are here.
import eslint from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import importPlugin from 'eslint-plugin-import-x';
import nodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

const communityNodes = n8nCommunityNodesPlugin.configs.recommended;

export default tseslint.config(
  { ignores: ['dist', 'test', 'scripts', 'eslint.config.mjs'] },
  {
    files: ['**/*.ts'],
    extends: [
      eslint.configs.recommended,
      tseslint.configs.recommended,
      communityNodes,
      importPlugin.configs['flat/recommended'],
    ],
    rules: { 'prefer-spread': 'off', 'no-console': 'error' },
  },
  {
    plugins: { 'n8n-nodes-base': nodesBase },
    settings: { 'import-x/resolver-next': [importPlugin.createNodeResolver({ extensions: ['.ts', '.js'] })] },
  },
  {
    files: ['package.json'],
    extends: [communityNodes],
    rules: { ...nodesBase.configs.community.rules },
    languageOptions: { parser: tseslint.parser, parserOptions: { extraFileExtensions: ['.json'] } },
  },
  {
    files: ['./credentials/**/*.ts'],
    rules: {
      ...nodesBase.configs.credentials.rules,
      'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
      'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
    },
  },
  {
    files: ['./nodes/**/*.ts'],
    rules: {
      ...nodesBase.configs.nodes.rules,
      'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
      'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
      'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
    },
  },
);
