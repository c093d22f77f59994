import { exitCodes } from './exit-codes.ts';

/** The settings of the command, below the list of commands. */
export const settingsHelp = `Settings:
  GATEWAY_URL          where the gateway is (http://127.0.0.1:8080)
  GATEWAY_ADMIN_TOKEN  the admin token, or the token of a service account; if unset, the session of
                       gateway login, or else the file admin-token in GATEWAY_DATA
  GATEWAY_LOGIN_FILE   the file with the sessions (.config/model-gateway/logins.json at home)
  GATEWAY_DATA         the gateway's data folder (.gateway)

More: gateway help COMMAND, gateway help exit-codes`;

/** The texts of `gateway help` that are not those of a command. */
export const helpTopics: Readonly<Record<string, string>> = {
  'exit-codes': [
    'The exit codes:',
    ...Object.entries(exitCodes).map(([code, meaning]) => `  ${code}  ${meaning}`),
  ].join('\n'),
};
