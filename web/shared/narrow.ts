import { readonly, ref } from 'vue'

/** As the style sheet has it. */
const query = matchMedia('(max-width: 760px)')
const matches = ref(query.matches)
query.addEventListener('change', () => {
  matches.value = query.matches
})

/** The window is a phone's: what stands in a column elsewhere stands below its row here. */
export const isNarrow = readonly(matches)
