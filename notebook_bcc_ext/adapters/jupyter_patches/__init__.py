"""What is changed of Jupyter at run time: all of it, in the order of `install`, and nothing else.

Objects of the running server are changed, never classes: another server in the same process, and
whoever makes a manager of their own, have Jupyter as it is. Of a contents manager that is not
jupyter_server's own, only what is locked and merged is changed, and what threads need if it is used
from them.

What is changed                      Why no official hook does it
-----------------------------------  ------------------------------------------------------------
1 session manager: `create_session`  Two that ask at once get two kernels. There is no hook; another
                                     `session_manager_class` would have to be there before the
                                     extension is loaded, and would replace the administrator's.
2 the process: `gc.freeze`           Python's collector knows no other way (decision 9). It is set
                                     once, when the server's loop starts.
3 contents manager: `get`, `save`,   One lock for a path, whoever calls. The save hooks run inside
  `delete`, `rename`,                of a save and cannot hold anything around it; nothing is
  `create_checkpoint`,               called before a read, a rename or a deletion.
  `restore_checkpoint`
4 its notary: `store`,               An SQLite connection belongs to one thread. `store_factory` is
  `store_factory`                    a trait for this, but the store has been made by then.
5 its `emit`                         Listeners are started on the running loop, and a worker thread
                                     has none that stays. There is no hook.
6 its `_save_notebook`               `nbformat.write` holds the whole text (decision 10). No hook,
                                     and no public name.
7 `save`, `restore_checkpoint`       A save is merged with the operation log (decisions 2 and 5). A
  again, around 3                    pre-save hook may change the model, but it cannot wait for the
                                     store, what goes wrong in it is only logged, and none is called
                                     when a checkpoint is restored.

When Jupyter changes it:

1, 3, 7  They are public methods of managers that others replace too. Arguments that are new are
         passed on as they came; a path that has another place among them is not locked, and the
         tests of path locks, sessions and merged saves fail.
2        Nothing of Jupyter's.
4, 5     Without the notary's store or `emit` no notebook can be opened for a run: that is told to
         whoever wants one, the server goes on, and the contract suite of notebooks fails.
6        Where the method is not the one that is known, by identity and by arguments, it is left
         alone: saving is as slow as Jupyter's own, and `test_piecewise_saving` fails.

Jupyter's own places for such things are used where there are any: contents events tell of renames
and deletions (`server/contents_events`), a setting that ends with `last_activity` tells of work
(`server/workplace`), extensions keep their objects in the web application's settings.
"""
