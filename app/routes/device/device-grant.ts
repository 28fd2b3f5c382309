/** The name of the way by which a program without a keyboard gets a token (RFC 8628, 3.4). */
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
