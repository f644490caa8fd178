; The rest of the arguments, whose node C++ calls otherwise.

(parameter_list (variadic_parameter) @parameter @parameter.variadic)
