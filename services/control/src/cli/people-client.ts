import {
  type AccountInfo,
  type AccountRole,
  type AuditPage,
  accountInfo,
  accountPage,
  auditPage,
  type IssuedAccount,
  issuedAccount,
  type LoginChange,
  type Member,
  member,
  memberPage,
  type NewAccount,
  passwordMade,
  type SessionInfo,
  sessionInfo,
  type UserInfo,
  userInfo,
} from '@model-gateway/admin-api';

import { allPages } from './pages.ts';

/** Sends a request and returns the body of its response. */
type Send = (method: string, path: string, body?: object) => Promise<unknown>;

/** The part of the admin API for people, service accounts and the audit log. */
export class PeopleClient {
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  async session(): Promise<SessionInfo> {
    return sessionInfo.parse(await this.#send('GET', '/session'));
  }

  async signOut(): Promise<void> {
    await this.#send('DELETE', '/session');
  }

  async changeLogin(user: string, change: LoginChange): Promise<UserInfo> {
    return userInfo.parse(await this.#send('PATCH', `${userPath(user)}/login`, change));
  }

  async removeLogin(user: string, tokens: LoginChange['tokens'] | '' = 'keep'): Promise<void> {
    await this.#send('DELETE', `${userPath(user)}/login?tokens=${tokens || 'keep'}`);
  }

  /** Returns the password that was made; null if one is given. */
  async resetPassword(user: string, password: string | undefined): Promise<string | null> {
    return passwordMade.parse(await this.#send('POST', `${userPath(user)}/password`, { password })).password;
  }

  async members(project: string): Promise<Member[]> {
    return allPages(membersPath(project), async path => memberPage.parse(await this.#send('GET', path)));
  }

  async setMember(project: string, user: string, role: Member['role']): Promise<Member> {
    const path = `${membersPath(project)}/${encodeURIComponent(user)}`;
    return member.parse(await this.#send('PUT', path, { role }));
  }

  async removeMember(
    project: string,
    user: string,
    tokens: LoginChange['tokens'] | '' = 'keep',
  ): Promise<void> {
    const path = `${membersPath(project)}/${encodeURIComponent(user)}`;
    await this.#send('DELETE', `${path}?tokens=${tokens || 'keep'}`);
  }

  async accounts(): Promise<AccountInfo[]> {
    return allPages('/accounts', async path => accountPage.parse(await this.#send('GET', path)));
  }

  async account(id: string): Promise<AccountInfo> {
    return accountInfo.parse(await this.#send('GET', `/accounts/${encodeURIComponent(id)}`));
  }

  async createAccount(wanted: NewAccount & { role: AccountRole }): Promise<IssuedAccount> {
    return issuedAccount.parse(await this.#send('POST', '/accounts', wanted));
  }

  async rotateAccount(id: string, expiresAt: string): Promise<IssuedAccount> {
    const path = `/accounts/${encodeURIComponent(id)}/rotate`;
    return issuedAccount.parse(await this.#send('POST', path, { expiresAt }));
  }

  async revokeAccount(id: string): Promise<void> {
    await this.#send('DELETE', `/accounts/${encodeURIComponent(id)}`);
  }

  async audit(query: URLSearchParams): Promise<AuditPage> {
    return auditPage.parse(await this.#send('GET', `/audit?${query}`));
  }
}

function userPath(user: string): string {
  return `/users/${encodeURIComponent(user)}`;
}

function membersPath(project: string): string {
  return `/projects/${encodeURIComponent(project)}/members`;
}
