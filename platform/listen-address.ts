// The addresses of our own processes: where one listens, and by which URL it is reached from this machine.
const EVERY_IPV4 = '0.0.0.0';
/** Every address with IPv6, and where the machine has both, with IPv4. */
export const EVERY_ADDRESS = '::';

/** A host as it is given to `listen`: an IPv6 address without its brackets. */
export const bareHost = (host: string): string => /^\[(.+)\]$/.exec(host)?.[1] ?? host;

const isEvery = (host: string): boolean => host === EVERY_IPV4 || host === EVERY_ADDRESS;

/** The URL of a host and a port, with an IPv6 address in brackets. */
export function urlOf(host: string, port: string | number): string {
  const bare = bareHost(host);
  return `http://${bare.includes(':') ? `[${bare}]` : bare}:${port}`;
}

/** The URL by which this machine reaches a process that listens at `host`: every address includes loopback. */
export const localUrl = (host: string | undefined, port: string | number): string =>
  urlOf(!host || isEvery(bareHost(host)) ? '127.0.0.1' : host, port);

/** The address that people on this machine type. */
export const trialUrl = (port: string | number): string => urlOf('localhost', port);

interface Wanted {
  host: string | undefined;
  port: number;
  hostName: string;
  portName: string;
}

/** The line for the operator about an address at which a process cannot listen, by the code of Node's error. */
export function listenFault(code: string, { host, port, hostName, portName }: Wanted): string {
  const where = host === undefined ? `port ${port}` : `${host}, port ${port}`;
  if (code === 'EADDRINUSE')
    return `${portName} is ${port}, and another program listens there already (${where}). End that one, which may be an older Keepsake, or set ${portName} to another port.`;
  if (code === 'EACCES')
    return `${portName} is ${port}, and this user may not listen on ports below 1024. Set ${portName} to a higher one, and let the reverse proxy forward to it.`;
  return `${hostName} is ${host ?? 'not set'}, and this machine cannot listen there (${code}). ${hostName} names an address of this machine, not the public name: use 127.0.0.1 beside a reverse proxy, :: for every address, or unset it.`;
}
