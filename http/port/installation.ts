/** How the service is set up, as far as it knows. */
export interface Installation {
  /** Whether it makes copies of its data by itself; undefined where its plan cannot be read. */
  readonly backup: 'scheduled' | 'none' | undefined
  /** Something starts it again after a boot; undefined: it was started by hand, or by something that does not say. */
  readonly isAutostarted: true | undefined
  /** Who is let in: whoever has a token, this computer alone, or nobody else though the port is open to the network. */
  readonly access: 'token' | 'loopback' | 'open'
}
