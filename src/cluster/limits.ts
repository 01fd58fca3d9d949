/** Every bound of ownership and forwarding. Times in milliseconds. */
export interface ClusterLimits {
  /** A recorded owner must answer a handshake within this. */
  readonly handshakeTimeoutMs: number
  /** A follower sends a sign of life this often, and the owner returns it. */
  readonly pingMs: number
  /** An owner that has been silent for this long is taken for suspended. */
  readonly ownerTimeoutMs: number
  /** An owner looks this often whether somebody has claimed a higher epoch. */
  readonly epochCheckMs: number
  /** Attempts to find or become the owner before the search counts as failed. */
  readonly attemptsMax: number
  /** Mean wait between attempts; jittered by half of it. */
  readonly retryMs: number
  /** Wait after a failed search before the next one, while the process runs. */
  readonly seekAgainMs: number
  /** Followers one owner serves at a time. */
  readonly connectionsMax: number
  /** Longest frame, in either direction. */
  readonly frameBytesMax: number
  /** Bytes that may wait for a slow reader before its connection is closed. */
  readonly bufferBytesMax: number
}
