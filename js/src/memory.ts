/** The Memory: numbered slots for the values of variables. */

import { Heap } from "./heap.js";

/** A value goes into the lowest empty slot; reading a variable empties its slot. */
export class Memory {
  private readonly empty = new Heap();
  private size = 0;

  /** The slot for a new value. */
  store(): number {
    return this.empty.size ? this.empty.pop() : this.size++;
  }

  /** Empty a slot after reading it. */
  free(slot: number): void {
    this.empty.push(slot);
  }
}
