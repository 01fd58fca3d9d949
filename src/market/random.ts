const GOLDEN = 0x9e3779b9

/** SplitMix32: a counter through a mixer; any 32-bit state is a good one. Uniform in [0, 1). */
export const draw = (state: number): readonly [number, number] => {
  const next = (state + GOLDEN) >>> 0
  return [mix(next) / 2 ** 32, next]
}

/** The number that belongs to a state and a salt: 32 bits. */
export const salted = (state: number, salt: number): number =>
  mix((state + Math.imul(salt, GOLDEN)) >>> 0)

const mix = (value: number): number => {
  let bits = value
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad)
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97)
  return (bits ^ (bits >>> 15)) >>> 0
}

/** 32 bits that depend on every character and on the seed. */
export const hash = (text: string, seed: number): number => {
  let bits = mix(seed >>> 0)
  for (let at = 0; at < text.length; at++) bits = mix((bits ^ text.charCodeAt(at)) >>> 0)
  return bits
}
