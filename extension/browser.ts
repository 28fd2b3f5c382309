// The few parts of the browsers' interface for extensions that this one uses, which Chromium and Firefox share.

interface Listeners<Listener> {
  addListener(listener: Listener): void;
}

export interface Permissions {
  permissions?: string[];
  origins?: string[];
}

interface RegisteredScript {
  id: string;
  matches: string[];
  js: string[];
  runAt: 'document_idle';
  persistAcrossSessions: boolean;
}

type MessageListener = (
  message: unknown,
  sender: { id?: string; url?: string },
  respond: (answer: unknown) => void,
) => boolean;

interface Browser {
  runtime: {
    id: string;
    getURL(path: string): string;
    sendMessage(message: unknown): Promise<unknown>;
    onMessage: Listeners<MessageListener>;
    onStartup: Listeners<() => void>;
    onInstalled: Listeners<() => void>;
  };
  storage: {
    local: {
      get(keys: string[]): Promise<Record<string, unknown>>;
      set(items: Record<string, unknown>): Promise<void>;
      remove(keys: string[]): Promise<void>;
      setAccessLevel?(access: { accessLevel: 'TRUSTED_CONTEXTS' }): Promise<void>;
    };
  };
  permissions: {
    contains(asked: Permissions): Promise<boolean>;
    request(asked: Permissions): Promise<boolean>;
    remove(asked: Permissions): Promise<boolean>;
    onAdded: Listeners<(added: Permissions) => void>;
    onRemoved: Listeners<() => void>;
  };
  /** Absent until its permission is granted. */
  scripting?: {
    registerContentScripts(scripts: RegisteredScript[]): Promise<void>;
    unregisterContentScripts(filter: { ids: string[] }): Promise<void>;
    getRegisteredContentScripts(): Promise<{ id: string; matches: string[] }[]>;
  };
  action: {
    setBadgeText(details: { text: string }): Promise<void>;
    setBadgeBackgroundColor(details: { color: string }): Promise<void>;
  };
  i18n: { getUILanguage(): string; getMessage(key: string, put?: string[]): string };
}

const everywhere = globalThis as { browser?: Browser; chrome?: Browser };

/** Read anew each time: parts of it appear as they are permitted. */
export function browser(): Browser {
  const found = everywhere.browser ?? everywhere.chrome;
  if (!found) throw new Error('no browser for an extension');
  return found;
}
