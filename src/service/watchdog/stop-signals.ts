/**
 * On Windows closing the console is SIGHUP, after which the system waits five seconds, and Ctrl-Break is
 * SIGBREAK. A log-off or a shutdown it tells to services and windows only: those end the process at once, like
 * a power cut, and the next start recovers.
 */
export const STOPPING = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  ...(process.platform === 'win32' ? (['SIGBREAK'] as const) : []),
] as const
