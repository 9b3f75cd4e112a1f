"""Times repose_jit and its peers side by side and checks every answer: ``python -m benchmarks.peers``.

One file of `solvers` for each peer; `arm` describes the robot to them and `solver` refuses those that have another one;
`oracle` checks what they answer, `turns` is the clock, `kinematics_rows` and `ik_rows` say what is compared, and
`table` shows it.
"""
