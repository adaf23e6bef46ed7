/** Whether the user moved the pointer. What changes under a resting pointer gets events as well, without movement. */
export function hasMoved(event: PointerEvent): boolean {
  return event.movementX !== 0 || event.movementY !== 0;
}
