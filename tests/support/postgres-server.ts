/** The PostgreSQL server for tests that need a real one, whose user is a superuser. An empty address names none. */
export const serverIn = (environment: NodeJS.ProcessEnv): string | undefined =>
  environment.TEST_POSTGRES_URL || undefined;

export const serverUrl = serverIn(process.env);
